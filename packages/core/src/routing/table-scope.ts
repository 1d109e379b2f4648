import type { Target } from '../contracts/provider.ts'
import { ConfigurationError, quoted } from '../errors/configuration-error.ts'
import { closest } from '../primitives/closest.ts'
import { Lru } from '../primitives/lru.ts'
import { type LinkedRoute, mappedStep, type NameScope, type RouteNode } from './linked-route.ts'
import type { Wildcards } from './wildcards.ts'

/** A resolved name, with the entry that matched: the name itself, or a pattern. */
export interface TableStep extends LinkedRoute {
  readonly entry: string
}

/** Maximum number of cached names of patterns: callers choose them. */
const maxWildcardSteps = 1_000

/** Maximum depth of names. Only functions of patterns, which can return ever new names, reach it without a cycle. */
const maxDepth = 32

/** Resolves the names of a model table. */
export class TableScope implements NameScope {
  readonly #parts: ReadonlyMap<string, RouteNode>
  readonly #wildcards: Wildcards
  /** The entries of patterns that do not depend on the name. */
  readonly #fixed: readonly LinkedRoute[]
  readonly #steps = new Map<string, TableStep>()
  readonly #wildcardSteps = new Lru<TableStep>(maxWildcardSteps)
  /** The names that are being resolved, outermost first. */
  readonly #path: string[] = []

  /** Throws `ConfigurationError` for a name that is unknown or circular. */
  constructor(parts: ReadonlyMap<string, RouteNode>, wildcards: Wildcards) {
    this.#parts = parts
    this.#wildcards = wildcards
    for (const name of parts.keys()) this.stepOf(name)
    this.#fixed = wildcards.fixed.map(([pattern, part]) => this.#withName(pattern, () => part.link(this)))
  }

  /** The targets of patterns that do not depend on the name. */
  get patternTargets(): readonly Target[] {
    return this.#fixed.flatMap(({ targets }) => targets)
  }

  find(name: string): LinkedRoute {
    const step = this.stepOf(name)
    if (step === undefined) throw this.#wrong(name, this.#known(), closest(name, this.#parts.keys()))
    const via = [name]
    const reached = mappedStep(step, candidates =>
      candidates.map(candidate => ({
        ...candidate,
        via: candidate.via === undefined ? via : [name, ...candidate.via],
      })),
    )
    return { ...reached, ways: step.ways.map(way => [name, ...way]), id: name }
  }

  /** Returns the entry of a name, or `undefined` if there is none. */
  stepOf(name: string): TableStep | undefined {
    const known = this.#steps.get(name) ?? this.#wildcardSteps.get(name)
    if (known !== undefined) return known
    if (this.#path.includes(name)) {
      throw this.#wrong(name, 'an entry that does not lead back to itself')
    }
    if (this.#path.length >= maxDepth) {
      throw this.#wrong(name, `an entry that leads over ${maxDepth} names at most`)
    }
    const exact = this.#parts.get(name)
    const wildcard = exact === undefined ? this.#wildcards.find(name) : undefined
    const found = exact ?? wildcard?.made
    if (found === undefined) return undefined
    const linked = this.#withName(name, () =>
      typeof found === 'string' ? this.#other(found) : found.link(this),
    )
    if (linked === undefined) return undefined
    const step = { ...linked, entry: wildcard?.pattern ?? name }
    if (exact !== undefined) this.#steps.set(name, step)
    else this.#wildcardSteps.set(name, step)
    return step
  }

  /** Resolves a name that the function of a pattern returned. If it is unknown or circular, so is the requested model. */
  #other(name: string): LinkedRoute | undefined {
    return this.#path.includes(name) || this.stepOf(name) === undefined ? undefined : this.find(name)
  }

  #withName<T>(name: string, run: () => T): T {
    this.#path.push(name)
    try {
      return run()
    } finally {
      this.#path.pop()
    }
  }

  /** Returns the error of a name, with the path of the entry that refers to it. */
  #wrong(to: string, expected: string, suggestion?: string): ConfigurationError {
    const [entry = to] = this.#path
    const received = [...this.#path.slice(1), to].map(quoted).join(' > ')
    const meant = suggestion === undefined ? {} : { suggestion }
    return new ConfigurationError('models()', [{ path: [entry], received, expected, ...meant }])
  }

  #known(): string {
    const names = [...this.#parts.keys()].map(quoted).join(', ')
    return `${names === '' ? '' : `one of ${names}, or `}one that fits a pattern of the table`
  }
}

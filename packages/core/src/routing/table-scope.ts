import { ConfigurationError, quoted } from '../errors/configuration-error.ts'
import { closest } from '../primitives/closest.ts'
import { Lru } from '../primitives/lru.ts'
import { type LinkedRoute, mappedStep, type NameScope, type RouteNode } from './linked-route.ts'
import type { Wildcards } from './wildcards.ts'

/** What stands under a name, and the entry of the table that says so: the name itself, or the pattern that it fits. */
export interface TableStep extends LinkedRoute {
  readonly entry: string
}

/** How many made names are kept: callers choose them. */
const mostMade = 1_000

/** An entry for a name that names the next one, and so on: of exact names that is a circle long before. */
const deepest = 32

/** The names of a table, and what stands under them. */
export class TableScope implements NameScope {
  readonly #parts: ReadonlyMap<string, RouteNode>
  readonly #wildcards: Wildcards
  readonly #steps = new Map<string, TableStep>()
  readonly #made = new Lru<TableStep>(mostMade)
  /** The names that led to where names are being found. */
  readonly #path: string[] = []

  /** Throws `ConfigurationError` for a name in an entry that stands in no table, or leads back to itself. */
  constructor(parts: ReadonlyMap<string, RouteNode>, wildcards: Wildcards) {
    this.#parts = parts
    this.#wildcards = wildcards
    for (const name of parts.keys()) this.stepOf(name)
    for (const [pattern, part] of wildcards.fixed) this.#onTheWay(pattern, () => part.link(this))
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

  /** What stands under a name; `undefined` where nothing does. */
  stepOf(name: string): TableStep | undefined {
    const known = this.#steps.get(name) ?? this.#made.get(name)
    if (known !== undefined) return known
    if (this.#path.includes(name)) {
      throw this.#wrong(name, 'an entry that does not lead back to itself')
    }
    if (this.#path.length >= deepest) {
      throw this.#wrong(name, `an entry that leads over ${deepest} names at most`)
    }
    const exact = this.#parts.get(name)
    const wildcard = exact === undefined ? this.#wildcards.find(name) : undefined
    const found = exact ?? wildcard?.made
    if (found === undefined) return undefined
    const linked = this.#onTheWay(name, () =>
      typeof found === 'string' ? this.#other(found) : found.link(this),
    )
    if (linked === undefined) return undefined
    const step = { ...linked, entry: wildcard?.pattern ?? name }
    if (exact !== undefined) this.#steps.set(name, step)
    else this.#made.set(name, step)
    return step
  }

  /**
   * What stands under the name that a pattern's function gave for what a caller asked for: where that leads nowhere, the
   * caller's name does not exist.
   */
  #other(name: string): LinkedRoute | undefined {
    return this.#path.includes(name) || this.stepOf(name) === undefined ? undefined : this.find(name)
  }

  #onTheWay<T>(name: string, run: () => T): T {
    this.#path.push(name)
    try {
      return run()
    } finally {
      this.#path.pop()
    }
  }

  /** The error of a name, at the entry that leads to it. */
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

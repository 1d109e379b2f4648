import { closest } from '@sluice/core/adapter'
import { type ConfigFault, ConfigFaults } from './config-faults.ts'
import { type Path, pathText } from './fault-text.ts'

/** What is told of a fault, beside where it is. */
export type Finding = (
  | { readonly got: string; readonly expected: string }
  /** In the words of who found it. */
  | { readonly problem: string }
) & { readonly mend?: string | undefined }

/** Where something stands in a file. Both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A configuration that was read, as far as faults have to tell of it. */
export interface Origin {
  /** What the file is called in messages. */
  readonly name: string
  /** Texts that came from the environment, as they stand in the file, by the text of their path. */
  readonly references: ReadonlyMap<string, string>
  /** Texts that must never be seen. */
  readonly secrets: Iterable<string>
  readonly positionOf: (path: Path) => Position | undefined
}

/** Too many to read, and of one cause: the rest comes when these are mended. */
const most = 50

/** So many are looked up in the file, to be told in its order; those beyond are counted. A service may run meanwhile. */
const mostFound = 1_000

/** The faults of one configuration, as they are found. */
export class FaultList {
  readonly origin: Origin
  readonly #faults: ConfigFault[] = []
  /** Paths that have a fault themselves, and those that hold one, as JSON. */
  readonly #own = new Set<string>()
  readonly #around = new Set<string>()
  #size = 0

  constructor(origin: Origin) {
    this.origin = origin
  }

  add(at: Path, finding: Finding): void {
    this.#size++
    this.#own.add(JSON.stringify(at))
    for (let depth = 0; depth <= at.length; depth++) this.#around.add(JSON.stringify(at.slice(0, depth)))
    if (this.#size > mostFound) return
    const { mend } = finding
    const problem =
      'problem' in finding ? withoutStop(finding.problem) : `got ${finding.got}, expected ${finding.expected}`
    const position = this.origin.positionOf(at)
    const fault = { path: pathText(at), problem, ...(mend !== undefined && { mend }), ...position }
    this.#faults.push(scrubbed(fault, this.origin.secrets))
  }

  get size(): number {
    return this.#size
  }

  /** Whether something is wrong at a path itself. */
  isAt(path: Path): boolean {
    return this.#own.has(JSON.stringify(path))
  }

  /** Whether something is wrong at a path, or below it. */
  has(path: Path): boolean {
    return this.#around.has(JSON.stringify(path))
  }

  /** Throws `ConfigFaults` where there is any. */
  settle(): void {
    if (this.#size === 0) return
    // As they stand in the file, where that is known.
    this.#faults.sort(
      (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
    )
    const told = this.#faults.slice(0, most)
    const more = this.#size - told.length
    const rest = { path: 'and so on', problem: `${more} more` }
    throw new ConfigFaults(this.origin.name, more > 0 ? [...told, rest] : told)
  }
}

/** "Did you mean ...?", where a name is near. */
export function didYouMean(text: string, names: Iterable<string>): string | undefined {
  const name = closest(text, names)
  return name === undefined ? undefined : `Did you mean '${name}'?`
}

/** Shorter ones are words that messages are made of. */
const shortest = 6

/** The last guard: what other packages say of a value may quote it. */
function scrubbed(fault: ConfigFault, secrets: Iterable<string>): ConfigFault {
  const clean = (text: string) => {
    let result = text
    for (const secret of secrets) {
      if (secret.length >= shortest) result = result.replaceAll(secret, '(hidden)')
    }
    return result
  }
  const { path, problem, mend } = fault
  return {
    ...fault,
    path: clean(path),
    problem: clean(problem),
    ...(mend !== undefined && { mend: clean(mend) }),
  }
}

function withoutStop(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text
}

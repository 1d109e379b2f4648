import { closest } from '@sluice/core/adapter'
import { type ConfigIssue, InvalidConfigError } from './invalid-config-error.ts'
import { type Path, pathText } from './issue-text.ts'

/** What is reported of an issue, apart from its location. */
export type IssueDetails = (
  | { readonly got: string; readonly expected: string }
  /** In the words of who found it. */
  | { readonly problem: string }
) & { readonly fix?: string | undefined }

/** Where something stands in a file. Both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The parts of a loaded configuration that messages of issues need. */
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
const maxShown = 50

/** Issues that are located in the file, to be sorted by line. Further ones are only counted: a running service may reload. */
const maxLocated = 1_000

/** Collects the issues of one configuration. */
export class IssueList {
  readonly origin: Origin
  readonly #issues: ConfigIssue[] = []
  /** Paths with an issue, and their parents, as JSON. */
  readonly #own = new Set<string>()
  readonly #around = new Set<string>()
  #size = 0

  constructor(origin: Origin) {
    this.origin = origin
  }

  add(at: Path, finding: IssueDetails): void {
    this.#size++
    this.#own.add(JSON.stringify(at))
    for (let depth = 0; depth <= at.length; depth++) this.#around.add(JSON.stringify(at.slice(0, depth)))
    if (this.#size > maxLocated) return
    const { fix } = finding
    const problem =
      'problem' in finding ? withoutStop(finding.problem) : `got ${finding.got}, expected ${finding.expected}`
    const position = this.origin.positionOf(at)
    const issue = { path: pathText(at), problem, ...(fix !== undefined && { fix }), ...position }
    this.#issues.push(redact(issue, this.origin.secrets))
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

  /** Throws `InvalidConfigError` where there is any. */
  throwIfAny(): void {
    if (this.#size === 0) return
    // As they stand in the file, where that is known.
    this.#issues.sort(
      (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
    )
    const shown = this.#issues.slice(0, maxShown)
    const more = this.#size - shown.length
    const rest = { path: 'and so on', problem: `${more} more` }
    throw new InvalidConfigError(this.origin.name, more > 0 ? [...shown, rest] : shown)
  }
}

/** "Did you mean ...?", where a name is near. */
export function suggest(text: string, names: Iterable<string>): string | undefined {
  const name = closest(text, names)
  return name === undefined ? undefined : `Did you mean '${name}'?`
}

/** Shorter ones are words that messages are made of. */
const minSecretLength = 6

/** The last guard: what other packages say of a value may quote it. */
function redact(issue: ConfigIssue, secrets: Iterable<string>): ConfigIssue {
  const clean = (text: string) => {
    let result = text
    for (const secret of secrets) {
      if (secret.length >= minSecretLength) result = result.replaceAll(secret, '(hidden)')
    }
    return result
  }
  const { path, problem, fix } = issue
  return {
    ...issue,
    path: clean(path),
    problem: clean(problem),
    ...(fix !== undefined && { fix: clean(fix) }),
  }
}

function withoutStop(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text
}

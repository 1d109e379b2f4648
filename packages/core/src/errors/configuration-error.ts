import { closest } from '../primitives/closest.ts'

/** The path of an option: names and indexes, from the outside in. */
export type OptionPath = readonly (string | number)[]

/** An invalid option. None of its texts contains a secret. */
export interface ConfigurationIssue {
  /** Path within the options: `['timeouts', 'totalMs']`. Empty for the options object itself. */
  readonly path: OptionPath
  /** A short description of the value; only its type if it may be a secret. */
  readonly received: string
  readonly expected: string
  /** The closest known name, for an option that is likely misspelt. */
  readonly suggestion?: string
}

const brand = Symbol.for('sluice.ConfigurationError')

/** Thrown for invalid options, with one issue per option. The message lists all of them. */
export class ConfigurationError extends TypeError {
  /** The function that rejected its options: `createGateway()`. */
  readonly source: string
  readonly issues: readonly ConfigurationIssue[]

  constructor(source: string, issues: readonly ConfigurationIssue[]) {
    super(messageOf(source, issues))
    this.name = 'ConfigurationError'
    this.source = source
    this.issues = issues
    Object.defineProperty(this, brand, { value: true })
  }

  /** Returns whether a value is a `ConfigurationError`, including those of another copy of this package. */
  static is(value: unknown): value is ConfigurationError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** Returns an error with a single issue. */
export function configurationError(
  source: string,
  path: OptionPath,
  value: unknown,
  expected: string,
): ConfigurationError {
  return new ConfigurationError(source, [configurationIssue(path, value, expected)])
}

/** Returns the issue of an invalid value. The value is shown unless its option name suggests a secret. */
export function configurationIssue(path: OptionPath, value: unknown, expected: string): ConfigurationIssue {
  return { path, received: describe(value, isSecret(path.at(-1))), expected }
}

/** Returns the issue of an invalid value that may be a secret: only its type is shown. */
export function hiddenIssue(path: OptionPath, value: unknown, expected: string): ConfigurationIssue {
  return { path, received: describe(value, true), expected }
}

/** Returns the issue of an unknown option. Its value is not shown, because a misspelt `apiKey` holds a key. */
export function unknownOption(path: OptionPath, value: unknown, known: Iterable<string>): ConfigurationIssue {
  const issue = { path, received: describe(value, true), expected: 'no such option' }
  const suggestion = closest(String(path.at(-1)), known)
  return suggestion === undefined ? issue : { ...issue, suggestion }
}

/** Formats an issue: `got 0, expected a whole number from 1`, with the suggestion if there is one. */
export function issueText({ received, expected, suggestion }: ConfigurationIssue): string {
  const meant = suggestion === undefined ? '' : `. Did you mean '${suggestion}'?`
  return `got ${received}, expected ${expected}${meant}`
}

/** Formats a path: `models['gpt-4.1'][0].weight`. Returns an empty string for an empty path. */
export function optionPathText(path: OptionPath): string {
  return path.map((step, at) => stepText(step, at === 0)).join('')
}

const maxNameLength = 80

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  const name = step.length > maxNameLength ? `${step.slice(0, maxNameLength)}...` : step
  if (/^[A-Za-z_$][\w$-]*$/.test(name)) return isFirst ? name : `.${name}`
  return `[${quoted(name)}]`
}

/** Returns a text in single quotes, on one line. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}

function messageOf(source: string, issues: readonly ConfigurationIssue[]): string {
  const lines = issues.map(issue => {
    const path = optionPathText(issue.path)
    return path === '' ? issueText(issue) : `${path}: ${issueText(issue)}`
  })
  if (lines.length === 1) return `${source}: ${lines[0]}${lines[0]!.endsWith('?') ? '' : '.'}`
  return `${source}: ${lines.length} options cannot be used:\n- ${lines.join('\n- ')}`
}

function isEmpty(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0
}

const maxShownLength = 60

/** Names of options that hold secrets, or URLs, which may contain some. */
const secretNames = /(?:key|token|secret|password|passphrase|pepper|credentials?|authorization|cookie|url)$/i
/** URLs with credentials, and the prefixes of vendors' keys. */
const secretTexts = /:\/\/[^/\s]*@|^(?:sk|gsk|xai|rk|pk|csk|key|bearer|sluice)[-_ ]/i

function isSecret(name: string | number | undefined): boolean {
  return typeof name === 'string' && secretNames.test(name)
}

function describe(value: unknown, hidden: boolean): string {
  switch (typeof value) {
    case 'string':
      if (value === '') return 'an empty string'
      if (hidden || secretTexts.test(value)) return 'a string'
      return value.length > maxShownLength ? `a string of ${value.length} characters` : quoted(value)
    case 'function':
      return 'a function'
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
      return isEmpty(value) ? 'an empty object' : 'an object'
    default:
      return String(value)
  }
}

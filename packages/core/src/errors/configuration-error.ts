import { closest } from '../primitives/closest.ts'

/** Where an option stands: names and indexes, from the outside in. */
export type OptionPath = readonly (string | number)[]

/** One option that cannot be used. No text of it holds a secret. */
export interface ConfigurationIssue {
  /** From the function's options inwards: `['timeouts', 'totalMs']`. Empty for the options as a whole. */
  readonly path: OptionPath
  /** The value in a few words, or what kind of value it is where it may be a secret. */
  readonly received: string
  readonly expected: string
  /** The name that a misspelt option was likely meant to be. */
  readonly suggestion?: string
}

const brand = Symbol.for('sluice.ConfigurationError')

/** Options that cannot be used: one issue for each. The message lists all of them. */
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

  /** Whether a value is a `ConfigurationError`, also one of another copy of this package. */
  static is(value: unknown): value is ConfigurationError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** The error of one value that cannot be used. */
export function configurationError(
  source: string,
  path: OptionPath,
  value: unknown,
  expected: string,
): ConfigurationError {
  return new ConfigurationError(source, [configurationIssue(path, value, expected)])
}

/** The issue of a value that cannot be used. */
export function configurationIssue(path: OptionPath, value: unknown, expected: string): ConfigurationIssue {
  return { path, received: describe(value, isSecret(path.at(-1))), expected }
}

/** The same for a value of which nothing is shown, as it may be a secret wherever it stands. */
export function hiddenIssue(path: OptionPath, value: unknown, expected: string): ConfigurationIssue {
  return { path, received: describe(value, true), expected }
}

/** The issue of an option with an unknown name. Its value is not shown: a misspelt `apiKey` holds a key. */
export function unknownOption(path: OptionPath, value: unknown, known: Iterable<string>): ConfigurationIssue {
  const issue = { path, received: describe(value, true), expected: 'no such option' }
  const suggestion = closest(String(path.at(-1)), known)
  return suggestion === undefined ? issue : { ...issue, suggestion }
}

/** `got 0, expected a whole number from 1`, with the suggestion where there is one. */
export function issueText({ received, expected, suggestion }: ConfigurationIssue): string {
  const meant = suggestion === undefined ? '' : `. Did you mean '${suggestion}'?`
  return `got ${received}, expected ${expected}${meant}`
}

/** `models['gpt-4.1'][0].weight`; an empty text for no path. */
export function optionPathText(path: OptionPath): string {
  return path.map((step, at) => stepText(step, at === 0)).join('')
}

const longestName = 80

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  const name = step.length > longestName ? `${step.slice(0, longestName)}...` : step
  if (/^[A-Za-z_$][\w$-]*$/.test(name)) return isFirst ? name : `.${name}`
  return `[${quoted(name)}]`
}

/** A text between quotes, in one line. */
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

const longestShown = 60

/** Names of options that hold secrets, or URLs that may. */
const secretNames = /(?:key|token|secret|password|passphrase|pepper|credentials?|authorization|cookie|url)$/i
/** URLs with a user, and the prefixes that vendors give to keys. */
const secretTexts = /:\/\/[^/\s]*@|^(?:sk|gsk|xai|rk|pk|csk|key|bearer|sluice)[-_ ]/i

function isSecret(name: string | number | undefined): boolean {
  return typeof name === 'string' && secretNames.test(name)
}

function describe(value: unknown, hidden: boolean): string {
  switch (typeof value) {
    case 'string':
      if (value === '') return 'an empty string'
      if (hidden || secretTexts.test(value)) return 'a string'
      return value.length > longestShown ? `a string of ${value.length} characters` : quoted(value)
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

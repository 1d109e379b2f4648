import { ConfigurationError } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, hiddenIssue, unknownOption } from '@sluice/core/adapter'

/** How the options of a log are checked. */
interface OptionRules {
  readonly known: readonly string[]
  /** An example of options, for errors. */
  readonly example: string
  readonly repositoryMethods: readonly string[]
  /** An example of a repository, for errors. */
  readonly repository: string
  /** Options that are whole numbers from 1. */
  readonly counts: readonly string[]
  readonly functions: readonly string[]
  /** Issues of all other options. */
  readonly further: () => readonly ConfigurationIssue[]
}

/** Throws `ConfigurationError` that lists all invalid options of a function. */
export function checkOptions(name: string, options: object, rules: OptionRules): void {
  if (typeof options !== 'object' || options === null) {
    const expected = `an object of options, such as ${rules.example}`
    throw new ConfigurationError(name, [configurationIssue([], options, expected)])
  }
  const given: Readonly<Record<string, unknown>> = { ...options }
  const issues = [
    ...unknownIssues([], given, rules.known),
    ...(hasMethods(given.repository, rules.repositoryMethods)
      ? []
      : [hiddenIssue(['repository'], given.repository, `a repository, such as ${rules.repository}`)]),
    ...rules.further(),
    ...rules.counts.flatMap(count => countIssues([count], given[count])),
    ...rules.functions
      .filter(each => given[each] !== undefined && typeof given[each] !== 'function')
      .map(each => configurationIssue([each], given[each], 'a function')),
  ]
  if (issues.length > 0) throw new ConfigurationError(name, issues)
}

export function unknownIssues(
  path: readonly string[],
  given: object,
  known: readonly string[],
): ConfigurationIssue[] {
  return Object.entries(given)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => unknownOption([...path, name], value, known))
}

export function countIssues(path: readonly string[], value: unknown): ConfigurationIssue[] {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return []
  return [configurationIssue([...path], value, 'a whole number from 1')]
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  const methods = (value ?? {}) as Readonly<Record<string, unknown>>
  return names.every(name => typeof methods[name] === 'function')
}

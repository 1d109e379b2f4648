import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
  unknownOption,
} from './configuration-error.ts'

/** What was expected in place of a value; `undefined` where the value can be used. */
export type OptionCheck = (value: unknown) => string | undefined

/** Checks by the names of options; those of an option's own options stand below it. */
export interface OptionChecks {
  readonly [name: string]: OptionCheck | OptionChecks
}

/** What is expected of options beside the checks of each. */
export interface OptionRules {
  /** Where the options stand. */
  readonly path?: OptionPath
  /** Those that must be there. */
  readonly required?: readonly string[]
  /** Those that may be `false` in place of an object. */
  readonly optional?: readonly string[]
}

/** Options of which all are required. Throws `ConfigurationError` for those that cannot be used. */
export function validatedOptions<Options extends object>(
  source: string,
  given: Options,
  checks: { readonly [Name in keyof Options & string]: OptionCheck },
): Options {
  const issues = optionIssues(given, checks, { required: Object.keys(checks) })
  if (issues.length > 0) throw new ConfigurationError(source, issues)
  return given
}

/** One issue for each option that is not known. */
export function unknownOptions(given: object, known: readonly string[]): ConfigurationIssue[] {
  return Object.entries(given).flatMap(([name, value]) =>
    known.includes(name) ? [] : [unknownOption([name], value, known)],
  )
}

/** One issue for each option that cannot be used, or is not known. */
export function optionIssues(
  given: unknown,
  checks: OptionChecks,
  rules: OptionRules = {},
): ConfigurationIssue[] {
  const { path = [], required = [], optional = [] } = rules
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return [configurationIssue(path, given, 'an object')]
  }
  const names = Object.keys(checks)
  const all = { ...Object.fromEntries(required.map(name => [name, undefined])), ...given }
  return Object.entries(all).flatMap(([name, value]) => {
    const at = [...path, name]
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) return [unknownOption(at, value, names)]
    if (value === undefined && !required.includes(name)) return []
    if (typeof check === 'function') {
      const expected = check(value)
      return expected === undefined ? [] : [configurationIssue(at, value, expected)]
    }
    const mayBeFalse = optional.includes(name)
    if (mayBeFalse && value === false) return []
    if (typeof value !== 'object' || value === null) {
      return [configurationIssue(at, value, `an object${mayBeFalse ? ' or false' : ''}`)]
    }
    return optionIssues(value, check, { path: at })
  })
}

import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
  unknownOption,
} from './configuration-error.ts'

/** Returns what was expected instead of a value, or `undefined` if the value is valid. */
export type OptionCheck = (value: unknown) => string | undefined

/** Checks by option name. An option that is an object has nested checks. */
export interface OptionChecks {
  readonly [name: string]: OptionCheck | OptionChecks
}

/** Rules for a set of options. */
export interface OptionRules {
  /** Path of the options object. */
  readonly path?: OptionPath
  /** Names of required options. */
  readonly required?: readonly string[]
  /** Names of options that may be `false` instead of an object. */
  readonly optional?: readonly string[]
}

/** Returns options that are all required. Throws `ConfigurationError` for invalid ones. */
export function validatedOptions<Options extends object>(
  source: string,
  given: Options,
  checks: { readonly [Name in keyof Options & string]: OptionCheck },
): Options {
  const issues = optionIssues(given, checks, { required: Object.keys(checks) })
  if (issues.length > 0) throw new ConfigurationError(source, issues)
  return given
}

/** Returns an issue for each unknown option. */
export function unknownOptions(given: object, known: readonly string[]): ConfigurationIssue[] {
  return Object.entries(given).flatMap(([name, value]) =>
    known.includes(name) ? [] : [unknownOption([name], value, known)],
  )
}

/** Returns an issue for each invalid or unknown option. */
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

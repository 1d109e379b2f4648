import { type OptionCheck as Check, type OptionChecks, optionIssues } from '../errors/check-options.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'

export const defaultMaxBytes = 1_048_576

export const aFunction: Check = value => (typeof value === 'function' ? undefined : 'a function')
export const milliseconds: Check = value =>
  typeof value === 'number' && value > 0 && value <= maxTtlMs
    ? undefined
    : `milliseconds above 0, at most ${maxTtlMs}`
export const wholeBytes: Check = value =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxEntryBytes
    ? undefined
    : `a whole number of bytes from 1 to ${maxEntryBytes}`
export const aStore: Check = value =>
  typeof value === 'object' &&
  value !== null &&
  operations.every(name => typeof Reflect.get(value, name) === 'function')
    ? undefined
    : 'a store, such as memoryCacheStore()'

const operations = ['get', 'set', 'add', 'replace']
/** A year. */
const maxTtlMs = 31_536_000_000
/** Encoded as JSON, a larger one could exceed the maximum string length of JavaScript. */
const maxEntryBytes = 67_108_864

/** Throws `ConfigurationError` with an issue for each invalid option. */
export function checkOptions(
  of: string,
  given: object,
  checks: OptionChecks,
  required: readonly string[] = [],
): void {
  const issues = optionIssues(given, checks, { required })
  if (issues.length > 0) throw new ConfigurationError(`${of}()`, issues)
}

import { ConfigurationError } from '@sluice/core'
import { configurationError, type OptionPath, unknownOption } from '@sluice/core/adapter'

/**
 * Rejects options that are not an object, or that have a name the owner does not know: a misspelt option would
 * otherwise be as if it were not there. Throws `ConfigurationError`, with the name that was likely meant.
 */
export function rejectUnknownOptions(
  owner: string,
  given: unknown,
  known: readonly string[],
  path: OptionPath = [],
): void {
  const source = owner.includes('(') ? owner : `${owner}()`
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw configurationError(source, path, given, 'an object of options')
  }
  const issues = Object.entries(given)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => unknownOption([...path, name], value, known))
  if (issues.length > 0) throw new ConfigurationError(source, issues)
}

/** Every name of an options type: a name that is missing, or is not one of its, is a type error. */
export function namesOf<T>(names: { readonly [K in keyof Required<T>]: true }): readonly string[] {
  return Object.keys(names)
}

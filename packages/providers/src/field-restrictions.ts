import { configurationError } from '@sluice/core/adapter'
import type { Provider, RestrictedFieldKind, RestrictedFields } from '@sluice/core/provider'
import { respelledFields } from './restricted-fields.ts'

/**
 * Returns the part of a provider with its restricted fields, without the allowed ones. Throws `ConfigurationError` if
 * `allowFields` is not an array, or names a field that the provider does not restrict.
 */
export function restrictFields(
  fields: RestrictedFields,
  allowFields: readonly string[] | undefined,
  owner: string,
): Required<Pick<Provider, 'restrictedFields'>> {
  if (allowFields === undefined) return { restrictedFields: fields }
  if (!Array.isArray(allowFields)) {
    throw configurationError(`${owner}()`, ['allowFields'], allowFields, 'an array of field names')
  }
  const names = Object.keys(fields).filter(name => !Object.hasOwn(respelledFields, name))
  const index = allowFields.findIndex(name => !names.includes(name))
  if (index >= 0) {
    const expected = names.length === 0 ? 'none: it restricts no fields' : `some of ${names.join(', ')}`
    throw configurationError(`${owner}()`, ['allowFields', index], allowFields[index], expected)
  }
  const rest = Object.entries(fields).filter(([name]) => !allowFields.includes(name))
  return { restrictedFields: Object.fromEntries(rest) }
}

const kinds: Readonly<Record<RestrictedFieldKind, true>> = {
  model: true,
  routing: true,
  paid: true,
  output: true,
  prompt: true,
  scheduling: true,
}

/** Throws `ConfigurationError` unless `fields` is an object of kinds by field name. */
export function checkRestrictedFields(fields: unknown, owner: string): void {
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
  if (isObject && Object.values(fields).every(kind => typeof kind === 'string' && Object.hasOwn(kinds, kind)))
    return
  const expected = `an object from field names to kinds: ${Object.keys(kinds).join(', ')}`
  throw configurationError(`${owner}()`, ['restrictedFields'], fields, expected)
}

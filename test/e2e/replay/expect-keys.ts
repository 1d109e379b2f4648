import { expect } from 'vitest'

const fields = 'provider_specific_fields'

/**
 * Holds what the vendor added to a level of an answer to be fields with values, and nothing that pollutes objects. Returns the
 * level without it.
 */
export function withoutProviderFields<T extends object>(level: T): T {
  if (!(fields in level)) return level
  const { [fields]: added, ...rest } = level as T & Record<typeof fields, object>
  expect(Object.keys(added).length, fields).toBeGreaterThan(0)
  expect(Object.values(added)).not.toContain(null)
  expect(JSON.stringify(added)).not.toMatch(/"(?:__proto__|constructor)":/)
  return rest as T
}

/** Holds an object to have all the `needed` keys, none beside `known`, and those in the order of `known`. */
export function expectKeys(
  value: unknown,
  known: readonly string[],
  needed: readonly string[] = known,
): void {
  expect(value).toBeTypeOf('object')
  const keys = Object.keys(value as object)
  expect(keys).toEqual(known.filter(key => keys.includes(key)))
  expect(keys).toEqual(expect.arrayContaining([...needed]))
}

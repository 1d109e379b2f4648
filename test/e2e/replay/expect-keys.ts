import { expect } from 'vitest'

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

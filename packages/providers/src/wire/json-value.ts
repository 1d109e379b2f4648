/** An object as it came from a vendor: nothing is known of its fields. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object that is no array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A string that holds something, or `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number >= 0, or `undefined`. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** The objects of an array, or `undefined` where there are none. */
export function objectsOf(value: unknown): readonly Fields[] | undefined {
  if (!Array.isArray(value)) return undefined
  const objects = value.filter(isFields)
  return objects.length > 0 ? objects : undefined
}

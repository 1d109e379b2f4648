/** Parses a whole number of a reply, or returns `NaN`. Some clients can be configured to return numbers as strings. */
export function parseWholeNumber(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : Number.NaN
}

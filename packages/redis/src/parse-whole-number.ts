/** A whole number of a reply, or `NaN`. Some clients can be told to give numbers as text. */
export function parseWholeNumber(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : Number.NaN
}

/** A count of tokens. Throws `TypeError` for what is none. */
export function checkTokens(owner: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
  const got = typeof value === 'string' ? `'${value}'` : String(value)
  throw new TypeError(`${owner}: got ${got}, expected a whole number from 1.`)
}

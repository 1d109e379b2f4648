/** A bound of answers in tokens. Throws `TypeError` for what is none. */
export function validateMaxTokens(value: number | undefined, owner: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value
  throw new TypeError(
    `${owner}: defaultMaxTokens has to be a whole number of tokens, 1 or more, not ${String(value)}.`,
  )
}

/** Names of beta features. Throws `TypeError` for what are none. */
export function validateBetas(
  value: readonly string[] | undefined,
  owner: string,
  option = 'beta',
): readonly string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every(isWord)) return value
  throw new TypeError(
    `${owner}: ${option} has to be an array of names, such as ['context-1m-2025-08-07'], of letters, digits, '-', '_' and '.'.`,
  )
}

/** A version of the API. Throws `TypeError` for what is none. */
export function validateVersion(value: string, owner: string): string {
  if (isWord(value)) return value
  throw new TypeError(`${owner}: version has to be a date such as '2023-06-01'.`)
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.-]+$/.test(value)
}

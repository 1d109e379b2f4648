/** Headers that the request itself or the connection sets. */
const own = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * The headers that a provider's configuration adds to each request, names in lower case. Throws `TypeError`
 * for what cannot be a header, or must not be one. A value is never part of the message.
 */
export function requestHeaders(
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
  owner: string,
): Readonly<Record<string, string>> {
  const result: Record<string, string> = {}
  if (apiKey !== undefined) result.authorization = `Bearer ${checkedKey(apiKey, owner)}`
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key))
      throw new TypeError(`${owner}: ${JSON.stringify(name)} is no header name.`)
    if (own.has(key))
      throw new TypeError(`${owner}: the header ${key} is set by the request itself; leave it out.`)
    if (key in result)
      throw new TypeError(
        `${owner}: the header ${key} is given twice; leave one out${key === 'authorization' ? ', or apiKey' : ''}.`,
      )
    if (typeof value !== 'string' || !isHeaderValue(value)) {
      throw new TypeError(
        `${owner}: the value of the header ${key} has to be a string without line breaks, of Latin-1 characters.`,
      )
    }
    result[key] = value
  }
  return result
}

function checkedKey(apiKey: string, owner: string): string {
  if (typeof apiKey !== 'string')
    throw new TypeError(`${owner}: apiKey has to be a string, not ${typeof apiKey}.`)
  if (apiKey.trim() === '')
    throw new TypeError(
      `${owner}: apiKey is empty. Give the key, or check the variable that it is read from.`,
    )
  if (apiKey !== apiKey.trim() || !isHeaderValue(apiKey)) {
    throw new TypeError(
      `${owner}: apiKey holds white space at an end, a line break, or a character that no header can carry.`,
    )
  }
  return apiKey
}

function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

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

/** A key or token as an `authorization` header. Throws `TypeError` for what no header can carry. */
export function bearer(secret: string, owner: string, option = 'apiKey'): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${checkedSecret(secret, owner, option)}` }
}

/**
 * The headers that a provider's configuration adds to each request, names in lower case: its credentials and
 * further ones. Throws `TypeError` for what cannot be a header, or must not be one. A value is never part of
 * the message.
 */
export function furtherHeaders(
  credentials: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  owner: string,
): Readonly<Record<string, string>> {
  if (Object.prototype.toString.call(headers) !== '[object Object]') {
    throw new TypeError(`${owner}: headers has to be an object, such as { 'x-team': 'search' }.`)
  }
  const result: Record<string, string> = { ...credentials }
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key))
      throw new TypeError(`${owner}: ${JSON.stringify(name)} is no header name.`)
    if (own.has(key))
      throw new TypeError(`${owner}: the header ${key} is set by the request itself; leave it out.`)
    if (key in result)
      throw new TypeError(
        `${owner}: the header ${key} is given twice; leave one out${key in credentials ? ', or the option that it comes from' : ''}.`,
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

/** A secret that a header can carry. Throws `TypeError` otherwise, without telling it. */
export function checkedSecret(secret: string | undefined, owner: string, option = 'apiKey'): string {
  const mend = 'Give it, or check the variable that it is read from.'
  if (secret === undefined) throw new TypeError(`${owner}: ${option} is missing. ${mend}`)
  if (typeof secret !== 'string')
    throw new TypeError(`${owner}: ${option} has to be a string, not ${typeof secret}.`)
  if (secret.trim() === '') throw new TypeError(`${owner}: ${option} is empty. ${mend}`)
  if (secret !== secret.trim() || !isHeaderValue(secret)) {
    throw new TypeError(
      `${owner}: ${option} holds white space at an end, a line break, or a character that no header can carry.`,
    )
  }
  return secret
}

function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

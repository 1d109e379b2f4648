import { ConfigurationError } from '@sluice/core'
import { hiddenIssue, type OptionPath } from '@sluice/core/adapter'

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
  return { authorization: `Bearer ${validateSecret(secret, owner, option)}` }
}

/**
 * The headers that a provider's configuration adds to each request, names in lower case: its credentials and
 * further ones. Throws `TypeError` for what cannot be a header, or must not be one. A value is never part of
 * the message.
 */
export function additionalHeaders(
  credentials: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  owner: string,
): Readonly<Record<string, string>> {
  if (Object.prototype.toString.call(headers) !== '[object Object]') {
    const expected = "an object, such as { 'x-team': 'search' }"
    throw new ConfigurationError(`${owner}()`, [hiddenIssue(['headers'], headers, expected)])
  }
  const result: Record<string, string> = { ...credentials }
  const wrong = (name: string, value: unknown, expected: string) =>
    new ConfigurationError(`${owner}()`, [hiddenIssue(['headers', name], value, expected)])
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw wrong(name, value, 'the name of a header')
    if (own.has(key)) throw wrong(name, value, 'another header: the request sets this one itself')
    if (key in result)
      throw wrong(
        name,
        value,
        `each header once: leave one out${key in credentials ? ', or the option that it comes from' : ''}`,
      )
    if (typeof value !== 'string' || !isHeaderValue(value)) {
      throw wrong(name, value, 'a string without line breaks, of Latin-1 characters')
    }
    result[key] = value
  }
  return result
}

/** A secret that a header can carry. Throws `ConfigurationError` otherwise, without the secret in the message. */
export function validateSecret(
  secret: unknown,
  owner: string,
  option: string | OptionPath = 'apiKey',
): string {
  if (typeof secret === 'string' && secret !== '' && secret === secret.trim() && isHeaderValue(secret)) {
    return secret
  }
  const isText = typeof secret === 'string' && secret.trim() !== ''
  const expected = isText
    ? 'one without white space at an end, line breaks, and characters that no header can carry'
    : 'a string that is not empty: give it, or check the variable that it is read from'
  const path = typeof option === 'string' ? [option] : option
  throw new ConfigurationError(`${owner}()`, [hiddenIssue(path, secret, expected)])
}

function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

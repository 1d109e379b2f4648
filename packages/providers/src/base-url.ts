import { ConfigurationError } from '@sluice/core'
import { hiddenIssue } from '@sluice/core/adapter'

/**
 * A service's base URL without its last slashes. Throws `ConfigurationError` for what is none: it has to be http or
 * https, without credentials, query or fragment.
 *
 * @param path - what the provider adds to it.
 * @param version - the path before that if the URL has no path: `/v1`, as vendors' own libraries add it.
 */
export function baseUrl(value: string, owner: string, path = '/chat/completions', version = ''): string {
  const refuse = (fault: string): ConfigurationError => {
    const expected = `${fault}: the URL that stands before ${path}, such as https://host/v1`
    return new ConfigurationError(`${owner}()`, [hiddenIssue(['baseURL'], value, expected)])
  }
  if (typeof value !== 'string' || !URL.canParse(value)) throw refuse('a URL')
  const url = new URL(value)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('http or https')
  if (url.username !== '' || url.password !== '') {
    throw refuse('no credentials, which belong in apiKey or headers')
  }
  if (url.search !== '' || value.includes('?')) throw refuse('no query')
  if (url.hash !== '' || value.includes('#')) throw refuse('no fragment')
  const before = url.pathname.replace(/\/+$/, '')
  if (before.endsWith(path)) throw refuse('no path of the operation')
  return `${url.origin}${before || version}`
}

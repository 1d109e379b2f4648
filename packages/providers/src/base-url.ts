/**
 * A service's base URL without its last slashes. Throws `TypeError` for what is none: it has to be http or
 * https, without credentials, query or fragment.
 *
 * @param path - what the provider adds to it.
 * @param version - what stands before that where the URL has no path at all: `/v1`, as vendors' own libraries add it.
 */
export function baseUrl(value: string, owner: string, path = '/chat/completions', version = ''): string {
  const refuse = (fault: string): TypeError =>
    new TypeError(
      `${owner}: baseURL ${fault}. Give the URL that stands before ${path}, such as https://host/v1.`,
    )
  if (typeof value !== 'string' || value === '')
    throw refuse(`has to be a URL, not ${value === '' ? 'an empty string' : typeof value}`)
  let url: URL
  try {
    url = new URL(value)
  } catch {
    throw refuse('is no URL')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuse(`has to be http or https, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '')
    throw refuse('must not hold credentials: they belong in apiKey or headers')
  if (url.search !== '' || value.includes('?')) throw refuse('must not hold a query')
  if (url.hash !== '' || value.includes('#')) throw refuse('must not hold a fragment')
  const before = url.pathname.replace(/\/+$/, '')
  if (before.endsWith(path)) throw refuse('must not hold the path of the operation')
  return `${url.origin}${before || version}`
}

import { ConfigurationError } from '@sluice/core'
import { hiddenIssue } from '@sluice/core/adapter'

/**
 * The address of a key set: whoever can change what stands there can sign tokens, so it is read over TLS, or from
 * this machine. Throws `ConfigurationError` for any other.
 */
export function keySetUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined
  const isValid =
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.username === '' &&
    url.password === ''
  if (isValid) return url
  throw new ConfigurationError('jwt()', [
    hiddenIssue(
      ['jwks'],
      String(given),
      'a URL with https, or with http on this machine, without credentials',
    ),
  ])
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/**
 * The address of a key set: whoever can change what stands there can sign tokens, so it is read over TLS, or from
 * this machine. Throws `TypeError` for any other.
 */
export function keySetUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined
  const isValid =
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.username === '' &&
    url.password === ''
  if (isValid) return url
  throw new TypeError(
    'jwt(): jwks: expected an address with https, or http on this machine, and no user in it.',
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

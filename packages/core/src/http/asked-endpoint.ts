import { GatewayError } from '../errors/errors.ts'
import { belowBase, type Endpoint, endpointOf, pathOf } from './endpoint.ts'

type Known = Exclude<Endpoint, { name: 'unknown' }>

// Nearly all requests of a process ask for the same.
let last: { url: string; method: string; mount: string; base: string; endpoint: Known } | undefined

/** Which endpoint a request asks for. Throws 404 for what is none, and 405 for a method that it does not know. */
export function askedEndpoint({ url, method }: Request, mount: string, base: string): Known {
  if (last?.url !== url || last.method !== method || last.mount !== mount || last.base !== base) {
    last = { url, method, mount, base, endpoint: find(url, method, mount, base) }
  }
  return last.endpoint
}

function find(url: string, method: string, mount: string, base: string): Known {
  const path = pathOf(url)
  const below = belowBase(path, mount, base)
  const endpoint: Endpoint = below === undefined ? { name: 'unknown' } : endpointOf(below)
  if (endpoint.name === 'unknown') throw unknownUrl(method, path)
  if (endpoint.name === 'chat') {
    if (method !== 'POST') throw methodNotSupported(method, path, 'POST')
  } else if (method !== 'GET' && method !== 'HEAD') throw methodNotSupported(method, path, 'GET, HEAD')
  return endpoint
}

/** A 404 that names what was asked for. */
export function unknownUrl(method: string, path: string): GatewayError {
  return new GatewayError('unknown_url', { message: `Invalid URL (${method} ${shown(path)})` })
}

function methodNotSupported(method: string, path: string, allowed: string): GatewayError {
  return new GatewayError('method_not_supported', {
    message: `Not allowed to ${method} on ${shown(path)}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    headers: { allow: allowed },
  })
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}...` : path
}

import type { Dialect } from '../contracts/dialect.ts'
import type { RequestHeaders } from '../contracts/draft.ts'
import { GatewayError } from '../errors/errors.ts'

// Tuned for the bench row `node`: the endpoint of the last request is cached per gateway.

/** The endpoint that a path belongs to. */
type RequestedEndpoint =
  | { readonly name: 'dialect'; readonly dialect: Dialect }
  | { readonly name: 'stored'; readonly dialect: Dialect; readonly id: string; readonly part: StoredPart }
  | { readonly name: 'models' }
  | { readonly name: 'model'; readonly id: string }
  | { readonly name: 'probe' }
  | { readonly name: 'unknown' }

/** What a request wants of a stored response: itself, the items of its request, or to cancel it. */
export type StoredPart = 'response' | 'input_items' | 'cancel'

/** The methods that each takes. */
const storedMethods: Readonly<Record<StoredPart, readonly string[]>> = {
  response: ['GET', 'DELETE'],
  input_items: ['GET'],
  cancel: ['POST'],
}

/** Returns the path of a URL, without normalization. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

/**
 * Returns the part of a path below the base path, starting with `/`, or `undefined` if the path is not below it. The base path
 * may follow the mount (`/api/ai` + `/v1/...`) or be its end (`/api/v1` + `/...`).
 */
export function belowBase(path: string, mount: string, base: string): string | undefined {
  if (mount !== '' && !isBelow(path, mount)) return undefined
  const relative = path.slice(mount.length)
  if (isBelow(relative, base)) return relative.slice(base.length)
  return mount === base || mount.endsWith(base) ? relative : undefined
}

/** Returns the endpoint of a path below the base path. Model ids may contain slashes, also as `%2F`. */
export function endpointOf(below: string, dialects: readonly Dialect[]): RequestedEndpoint {
  const path = oneSlash(below)
  const dialect = dialects.find(({ path: own }) => path === own || path === `${own}/`)
  if (dialect !== undefined) return { name: 'dialect', dialect }
  const stored = storedEndpointOf(path, dialects)
  if (stored !== undefined) return stored
  if (path === '/models' || path === '/models/') return { name: 'models' }
  if (!path.startsWith('/models/')) return { name: 'unknown' }
  try {
    return { name: 'model', id: decodeURIComponent(path.slice('/models/'.length)) }
  } catch {
    return { name: 'unknown' }
  }
}

const storedPath = /^\/([\w-]{1,256})(?:\/(input_items|cancel))?\/?$/

/** Returns the endpoint of a stored response, which is below the path of its dialect. */
function storedEndpointOf(path: string, dialects: readonly Dialect[]): RequestedEndpoint | undefined {
  for (const dialect of dialects) {
    const isOwn = dialect.operation === 'generate' && dialect.state !== undefined
    if (!isOwn || !isBelow(path, dialect.path)) continue
    const [, id, part = 'response'] = storedPath.exec(path.slice(dialect.path.length)) ?? []
    if (id !== undefined) return { name: 'stored', dialect, id, part: part as StoredPart }
  }
  return undefined
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

type Known = Exclude<RequestedEndpoint, { name: 'unknown' }>

/** Finds the endpoint of a request. Throws `GatewayError` 404 for an unknown path, 405 for a wrong method. */
export type FindEndpoint = (request: Request, mount: string) => Known

/** A finder for one gateway. It remembers the last request, as nearly all ask for the same endpoint. */
export function endpointFinder(basePath: string, dialects: readonly Dialect[]): FindEndpoint {
  let last: { url: string; method: string; mount: string; endpoint: Known } | undefined
  return (request, mount) => {
    const { url, method } = request
    if (last?.url !== url || last.method !== method || last.mount !== mount) {
      last = { url, method, mount, endpoint: find(request, mount, basePath, dialects) }
    }
    return last.endpoint
  }
}

function find(
  { url, method, headers }: Pick<Request, 'url' | 'method' | 'headers'>,
  mount: string,
  base: string,
  dialects: readonly Dialect[],
): Known {
  const path = pathOf(url)
  if (method === 'HEAD' && isProbe(path, mount)) return { name: 'probe' }
  const below = belowBase(path, mount, base)
  const endpoint: RequestedEndpoint = below === undefined ? { name: 'unknown' } : endpointOf(below, dialects)
  if (endpoint.name === 'unknown') throw unknownUrl(method, path)
  if (endpoint.name === 'dialect') {
    const { triesWebSocket = false } = endpoint.dialect
    if (triesWebSocket && method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket')
      throw new GatewayError('websocket_not_supported')
    if (method !== 'POST') throw methodNotSupported(method, path, 'POST')
  } else if (endpoint.name === 'stored') {
    const allowed = storedMethods[endpoint.part]
    if (!allowed.includes(method)) throw methodNotSupported(method, path, allowed.join(', '))
  } else if (method !== 'GET' && method !== 'HEAD') throw methodNotSupported(method, path, 'GET, HEAD')
  return endpoint
}

/**
 * Returns the dialect of the errors of a path: the one whose endpoint it lies below, such as `/messages/batches` below
 * `/messages`; of the paths of models the one that accepts the request. `undefined` if there is none.
 */
export function errorDialect(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  mount: string,
  base: string,
  dialects: readonly Dialect[],
): Dialect | undefined {
  const below = belowBase(pathOf(url), mount, base)
  if (below === undefined) return undefined
  const path = oneSlash(below)
  if (isBelow(path, '/models')) return modelsDialect(headers, dialects)
  return dialects.find(({ path: own }) => isBelow(path, own))
}

/** Returns the dialect that lists models for a request; `undefined` if none accepts it. */
export function modelsDialect(headers: RequestHeaders, dialects: readonly Dialect[]): Dialect | undefined {
  return dialects.find(({ models }) => models?.accepts(headers) === true)
}

/** Clients append a path to a base URL that ends with a slash. */
function oneSlash(below: string): string {
  return below.replace(/^\/{2,}/, '/')
}

/** Returns a 404 that names the method and path. */
export function unknownUrl(method: string, path: string): GatewayError {
  return new GatewayError('unknown_url', { message: `Invalid URL (${method} ${shown(path)})` })
}

/**
 * Whether coding clients probe a path when they start, with HEAD and without credentials: the mount itself, and `/api/hello`
 * below it. Hosts with paths of their own keep them, because `matches` does not claim these.
 */
function isProbe(path: string, mount: string): boolean {
  if (!isBelow(path, mount)) return false
  const below = oneSlash(path.slice(mount.length))
  return below === '' || below === '/' || below === '/api/hello'
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

import { GatewayError } from '../errors/errors.ts'
import type { Endpoint } from '../gateway/with-endpoints.ts'
import { pathOf } from '../http/endpoint.ts'
import { digestOf } from '../primitives/sha256.ts'
import { type OpenApiOptions, openApiDocument } from './document.ts'

interface Written {
  readonly server: string
  readonly text: string
  readonly etag: string
}

/**
 * Serves the description of a gateway under `/openapi.json`, to everybody: it tells nothing of models, keys or vendors.
 * `withEndpoints(gateway, [openApi()])`. Where no `server` is given, it is the mount by which the document was asked for.
 *
 * Throws what `openApiDocument` throws.
 */
export function openApi(options: OpenApiOptions = {}): Endpoint {
  const document = openApiDocument(options)
  const { base = '/v1' } = options
  // Nearly all requests of a process come by the same mount.
  let last: Written | undefined

  const writtenFor = async (server: string): Promise<Written> => {
    if (last?.server === server) return last
    const text = JSON.stringify(server === '' ? document : { ...document, servers: [{ url: server }] })
    last = { server, text, etag: `"${(await digestOf(text)).slice(0, 32)}"` }
    return last
  }

  return {
    matches: path => path === '/openapi.json',
    fetch: async (request, path) => {
      const { method } = request
      if (method !== 'GET' && method !== 'HEAD') return refused(method, path)
      const server = options.server ?? serverOf(pathOf(request.url), path, base)
      const { text, etag } = await writtenFor(server)
      const headers = {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        etag,
      }
      if (isKnown(request.headers.get('if-none-match'), etag))
        return new Response(null, { status: 304, headers })
      return new Response(method === 'HEAD' ? null : text, { headers })
    },
  }
}

/** What stands before the base: the mount, of which the base may be the end. */
function serverOf(asked: string, path: string, base: string): string {
  const mount = asked.endsWith(path) ? asked.slice(0, -path.length) : ''
  return mount.endsWith(base) ? mount.slice(0, -base.length) : mount
}

function isKnown(given: string | null, etag: string): boolean {
  return given?.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false
}

function refused(method: string, path: string): Response {
  return new GatewayError('method_not_supported', {
    message: `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    headers: { allow: 'GET, HEAD' },
  }).toResponse()
}

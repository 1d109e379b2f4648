import { pathOf } from '../http/endpoint.ts'
import { contextOf, isRequest, isRequestInit } from '../http/fetch-arguments.ts'
import type { Gateway } from './managed-gateway.ts'

/** An extra endpoint beside the gateway, with paths of its own: metrics, probes, a page. */
export interface Endpoint {
  /** Whether a path, relative to the mount, is the endpoint's: `/metrics`. */
  matches(path: string): boolean
  /** Answers a request; `path` is relative to the mount. Adapters abort `request.signal` when the client disconnects. */
  fetch(request: Request, path: string): Response | Promise<Response>
}

/**
 * Adds endpoints to a gateway: `withEndpoints(gateway, [probes(gateway), metrics])`. The first endpoint that matches the
 * path answers, else the gateway. Requests to endpoints are not authenticated: an endpoint that shows confidential data
 * has to do so itself. Mounted in a host, their paths are below the mount: `/api/ai` makes `/api/ai/metrics`.
 */
export function withEndpoints<Host>(gateway: Gateway<Host>, endpoints: readonly Endpoint[]): Gateway<Host> {
  const all = [...endpoints]
  const endpointAt = (path: string) => all.find(endpoint => endpoint.matches(path))
  return {
    ...gateway,
    matches: (pathname, mount = '') =>
      endpointAt(below(pathname, mount)) !== undefined || gateway.matches(pathname, mount),
    fetch: async (input, init) => {
      if (!isRequest(input) || isRequestInit(init)) return gateway.fetch(input, init)
      const path = below(pathOf(input.url), contextOf(init).mount ?? '')
      const endpoint = endpointAt(path)
      return endpoint === undefined ? gateway.fetch(input, init) : endpoint.fetch(input, path)
    },
  }
}

/** The part of a path below the mount; the path itself where it is not there. */
function below(path: string, mount: string): string {
  const inside = path.startsWith(mount) && (path.length === mount.length || path[mount.length] === '/')
  return inside ? path.slice(mount.length) || '/' : path
}

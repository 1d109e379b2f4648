import { pathOf } from '../http/endpoint.ts'
import { contextOf, isRequest, isRequestInit } from '../http/fetch-arguments.ts'
import type { Gateway } from './managed-gateway.ts'

/** An extra endpoint: serves additional paths next to the API, such as metrics, probes or a page. */
export interface Endpoint {
  /** Returns whether it serves a path. The path is relative to the mount: `/metrics`. */
  matches(path: string): boolean
  /** Handles a request. `path` is relative to the mount. `request.signal` aborts when the client disconnects. */
  fetch(request: Request, path: string): Response | Promise<Response>
}

/**
 * Adds endpoints to a gateway: `withEndpoints(gateway, [probes(gateway), metrics])`. The first endpoint that matches the path
 * handles the request; otherwise the gateway does. Their paths are relative to the mount: with `/api/ai`, `/metrics` becomes
 * `/api/ai/metrics`.
 *
 * Endpoints are not authenticated. One with confidential content must check credentials itself.
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

/** Returns a path relative to the mount, or unchanged if it is not below the mount. */
function below(path: string, mount: string): string {
  const inside = path.startsWith(mount) && (path.length === mount.length || path[mount.length] === '/')
  return inside ? path.slice(mount.length) || '/' : path
}

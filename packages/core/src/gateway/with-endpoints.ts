import { pathOf } from '../http/endpoint.ts'
import { contextOf, isRequest, isRequestInit } from '../http/fetch-arguments.ts'
import type { Gateway } from './managed-gateway.ts'

/** Something beside the gateway that answers under paths of its own: metrics, probes, a page. */
export interface Endpoint {
  /** Whether a path is its own, as it stands below the mount: `/metrics`. */
  matches(path: string): boolean
  /** Answers a request; `path` is that of its URL, below the mount. Adapters end `request.signal` where the client leaves. */
  fetch(request: Request, path: string): Response | Promise<Response>
}

/**
 * The same gateway, with more paths: `withEndpoints(gateway, [probes(gateway), metrics])`. The first endpoint whose path
 * it is answers, before the gateway is asked. They see no key: an endpoint that tells what not everybody should know asks
 * for one itself. Mounted in a host, they stand below the mount: `/api/ai` makes `/api/ai/metrics`.
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

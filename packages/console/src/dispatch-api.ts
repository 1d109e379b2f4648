import { GatewayError } from '@sluice/core'
import type { ApiCall } from './api-call.ts'
import { apiRoutes } from './api-routes.ts'

/** The paths whose data is in the memory of each process. */
const summedPaths = ['/requests', '/requests/{id}', '/overview', '/series', '/routes']

/** Finds who answers a path below `/console/api`. Throws 404, 405, and 403 for a change that another origin sent. */
export function dispatchApi(path: string, call: Omit<ApiCall, 'id'>): Response | Promise<Response> {
  const parts = path.split('/')
  const id = parts[2] ?? ''
  const name = parts.map((part, at) => (at === 2 ? '{id}' : part)).join('/')
  const methods = Object.hasOwn(apiRoutes, name) ? apiRoutes[name] : undefined
  if (methods === undefined || (parts.length > 2 && id === '')) throw notThere()
  const { request } = call
  const answer = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
  if (answer === undefined) {
    throw new GatewayError('method_not_supported', { headers: { allow: Object.keys(methods).join(', ') } })
  }
  if (request.method !== 'GET') expectOwnOrigin(request)
  const found = { ...call, id: decoded(id) }
  const { group } = call.state
  if (group === undefined || !summedPaths.includes(name)) return answer(found)
  return group.read().then(recorded => answer({ ...found, state: { ...call.state, ...recorded } }))
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    throw notThere()
  }
}

function notThere(): GatewayError {
  return new GatewayError('unknown_url', { message: 'The console has no such path.' })
}

/**
 * Throws 403 for a request that a page of another origin sent. Browsers say so in `Sec-Fetch-Site`, or in `Origin`; what
 * is no browser says neither. A proxy that changes `Host` has to keep the former, as all do that are not told otherwise.
 */
function expectOwnOrigin({ headers, url }: Request): void {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return
  const origin = headers.get('origin')
  if (site === null && (origin === null || hostOf(origin) === (headers.get('host') ?? hostOf(url)))) return
  throw new GatewayError('missing_scope', {
    message: 'This was sent by a page of another origin: only the console itself may change something here.',
  })
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined
}

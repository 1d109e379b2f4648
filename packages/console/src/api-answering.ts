import { GatewayError } from '@sluice/core'
import type { ApiCall } from './api-call.ts'
import { apiRoutes } from './api-routes.ts'
import { expectOwnOrigin } from './own-origin.ts'

/** Finds who answers a path below `/console/api`. Throws 404, 405, and 403 for a change that another origin sent. */
export function apiAnswer(path: string, call: Omit<ApiCall, 'id'>): Response | Promise<Response> {
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
  return answer({ ...call, id: decoded(id) })
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

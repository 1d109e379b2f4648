import { bearerToken, type Endpoint } from '@sluice/core'
import type { Registry, RegistryContentType } from 'prom-client'
import { refusedMethod } from '../refused-method.ts'
import type { ResolvedPrometheusOptions } from './options.ts'
import { isSameSecret } from './same-secret.ts'

/** Tells the metrics of a registry in its text format. */
export function metricsEndpoint(
  registry: Registry<RegistryContentType>,
  { path, token }: Pick<ResolvedPrometheusOptions, 'path' | 'token'>,
): Endpoint {
  return {
    matches: asked => asked === path,
    fetch: async request => {
      const refused = refusedMethod(request)
      if (refused !== undefined) return refused
      if (token !== undefined && !(await isSameSecret(bearerToken(request) ?? '', token)))
        return unauthorized()
      let text: string
      try {
        text = await registry.metrics()
      } catch {
        // A metric of the owner's own, which is asked as it is told, may throw.
        return plainAnswer(500, 'A metric could not be read.\n')
      }
      return new Response(request.method === 'HEAD' ? null : text, {
        headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
      })
    },
  }
}

function unauthorized(): Response {
  const response = plainAnswer(401, 'A token is expected: Authorization: Bearer TOKEN.\n')
  response.headers.set('www-authenticate', 'Bearer realm="metrics"')
  return response
}

function plainAnswer(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}

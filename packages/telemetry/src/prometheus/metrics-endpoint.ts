import type { Endpoint } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import type { Registry, RegistryContentType } from 'prom-client'
import { refusedMethod } from '../refused-method.ts'
import type { ResolvedPrometheusOptions } from './options.ts'

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

/** Whether two texts are one. How long it takes tells nothing of where they differ: their digests are compared. */
async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [one, other] = await Promise.all([digestOf(given), digestOf(expected)])
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ other[at]!
  return difference === 0
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

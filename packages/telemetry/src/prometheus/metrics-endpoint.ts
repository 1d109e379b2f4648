import type { Endpoint } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { rejectMethod } from '../reject-method.ts'
import type { ResolvedPrometheusOptions } from './options.ts'

/** Serves what `read` returns: metrics in their text format. */
export function metricsEndpoint(
  read: () => Promise<string>,
  contentType: string,
  { path, token }: Pick<ResolvedPrometheusOptions, 'path' | 'token'>,
): Endpoint {
  return {
    matches: requested => requested === path,
    fetch: async request => {
      const rejected = rejectMethod(request)
      if (rejected !== undefined) return rejected
      if (token !== undefined && !(await isSameSecret(bearerToken(request) ?? '', token)))
        return unauthorized()
      let text: string
      try {
        text = await read()
      } catch {
        // The `collect` of a user's own metric may throw.
        return plainAnswer(500, 'Collecting a metric failed.\n')
      }
      return new Response(request.method === 'HEAD' ? null : text, {
        headers: { 'content-type': contentType, 'cache-control': 'no-store' },
      })
    },
  }
}

function unauthorized(): Response {
  const response = plainAnswer(401, 'Unauthorized. Send the token as Authorization: Bearer TOKEN.\n')
  response.headers.set('www-authenticate', 'Bearer realm="metrics"')
  return response
}

function plainAnswer(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** Compares two secrets by their digests, in constant time. */
async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [one, other] = await Promise.all([digestOf(given), digestOf(expected)])
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ other[at]!
  return difference === 0
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

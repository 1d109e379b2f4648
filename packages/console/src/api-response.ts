import { GatewayError } from '@sluice/core'
import { secureHeaders } from './secure-headers.ts'

const headers = { ...secureHeaders, 'cache-control': 'no-store', vary: 'authorization' }

/** A value as JSON, which nobody keeps. */
export function jsonResponse(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
  })
}

/** Nothing to tell. */
export function emptyResponse(): Response {
  return new Response(null, { status: 204, headers })
}

/** A file to download. */
export function fileResponse(body: ReadableStream, name: string, type: string): Response {
  return new Response(body, {
    headers: { ...headers, 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
  })
}

/** Server-sent events. `no-transform` and `x-accel-buffering` keep those between from holding them back. */
export function eventStreamResponse(events: ReadableStream<Uint8Array>): Response {
  return new Response(events, {
    headers: {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** A refusal in the protocol's shape; whatever else was thrown is a 500 that tells nothing. */
export function errorResponse(error: unknown): Response {
  const refusal = GatewayError.is(error) ? error : new GatewayError('server_error')
  const answer = jsonResponse(refusal.toBody(), refusal.status)
  for (const [name, value] of Object.entries(refusal.headers)) answer.headers.set(name, value)
  return answer
}

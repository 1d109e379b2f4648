import { randomUUID } from 'node:crypto'

/**
 * An answer for what goes wrong before a request has reached the gateway, or outside of it: the body that
 * every error of the protocol has (protocol section 4.1), a request id, and the headers of the gateway's own answers.
 */
export function protocolError(status: number, message: string): Response {
  const { body, headers } = errorParts(status, message)
  return new Response(body, { status, headers })
}

/** The same in parts, for where there is no `Response` to send. */
export function errorParts(status: number, message: string) {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  return {
    body: JSON.stringify({ error: { message, type, param: null, code: null } }),
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'authorization',
      'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
    },
  }
}

/** The 500 that tells nothing. */
export function serverError(): Response {
  return protocolError(500, 'The server had an error while processing your request. Sorry about that!')
}

import { randomUUID } from 'node:crypto'

/**
 * The response to an error before a request reaches the gateway, or outside of it. It has the error body of the chat
 * completions API, a request id, and the headers of the gateway's own responses.
 */
export function protocolError(status: number, message: string): Response {
  const { body, headers } = errorParts(status, message)
  return new Response(body, { status, headers })
}

/** Returns the same as plain data, for code that cannot send a `Response`. */
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

/** Returns a 500 without details. */
export function serverError(): Response {
  return protocolError(500, 'The server had an error while processing your request. Sorry about that!')
}

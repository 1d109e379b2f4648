import { randomUUID } from 'node:crypto'

/**
 * An answer for what goes wrong before a request has reached the gateway, or outside of it: the body that
 * every error of the protocol has (protocol section 4.1), and a request id.
 */
export function protocolError(status: number, message: string): Response {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  return new Response(JSON.stringify({ error: { message, type, param: null, code: null } }), {
    status,
    headers: {
      'content-type': 'application/json',
      'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
    },
  })
}

/** The 500 that tells nothing. */
export function serverError(): Response {
  return protocolError(500, 'The server had an error while processing your request. Sorry about that!')
}

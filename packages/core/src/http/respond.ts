import type { DialectError } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import { type AnswerHeaders, HeaderList, PlainResponse } from './gateway-response.ts'

/** Returns a JSON response. */
export function respondJson(
  status: number,
  value: unknown,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): GatewayResponse {
  return respondText(status, JSON.stringify(value), requestId, more)
}

/** Returns a response of JSON text. */
export function respondText(
  status: number,
  text: string,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): GatewayResponse {
  const headers = new HeaderList('application/json', 'no-store', requestId)
  headers.add(more)
  return new PlainResponse(status, text, headers)
}

/**
 * Returns the response of a rejected request. The headers of the error replace others of the same name. Throws `TypeError` for
 * an error that a dialect has shaped so that no response can carry it.
 */
export function respondError(
  { status, body, headers }: DialectError,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): GatewayResponse {
  const text: unknown = JSON.stringify(body)
  if (!(Number.isInteger(status) && status >= 400 && status <= 599 && typeof text === 'string')) {
    throw new TypeError(
      'The dialect returned an invalid error: expected a status from 400 to 599 and a JSON body.',
    )
  }
  return respondText(status, text, requestId, { ...more, ...headers })
}

/**
 * Returns a response of server-sent events. `no-transform` stops compression middleware from buffering events,
 * `x-accel-buffering` stops nginx.
 */
export function respondStream(
  body: AsyncIterable<string>,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): GatewayResponse {
  const cacheControl = 'no-cache, no-store, no-transform'
  const headers = new HeaderList('text/event-stream; charset=utf-8', cacheControl, requestId)
  headers.add({ 'x-accel-buffering': 'no', ...more })
  return new PlainResponse(200, body, headers)
}

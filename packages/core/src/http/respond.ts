import type { DialectEndpoint } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import type { GatewayError } from '../errors/errors.ts'
import { type AnswerHeaders, HeaderList, PlainResponse } from './gateway-response.ts'
import { limitHeaders, reportedLimits } from './limit-headers.ts'

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

/** How a dialect writes errors. */
type ErrorDialect = Pick<DialectEndpoint, 'error' | 'limitHeaders' | 'requestIdHeader'>

/**
 * Returns the response of a rejected request in the shape of a dialect. The headers of the error replace others of the same
 * name. Throws `TypeError` for an error that a dialect has shaped so that no response can carry it.
 *
 * @param now - milliseconds since 1970.
 */
export function respondError(
  dialect: ErrorDialect,
  error: GatewayError,
  requestId: string,
  more: Readonly<AnswerHeaders>,
  now: () => number,
): GatewayResponse {
  const { status, body, headers } = dialect.error(error, requestId)
  const text: unknown = JSON.stringify(body)
  if (!(Number.isInteger(status) && status >= 400 && status <= 599 && typeof text === 'string')) {
    throw new TypeError(
      'The dialect returned an invalid error: expected a status from 400 to 599 and a JSON body.',
    )
  }
  const report = reportedLimits(error)
  const ofLimits = report === undefined ? undefined : limitHeaders(report, dialect, now)
  return respondText(status, text, requestId, {
    ...more,
    ...requestIdHeaders(dialect, requestId),
    ...ofLimits,
    ...headers,
  })
}

/** Returns the header with the id of the request that a dialect has besides `x-request-id`; `undefined` if it has none. */
export function requestIdHeaders(
  dialect: Pick<DialectEndpoint, 'requestIdHeader'> | undefined,
  requestId: string,
): AnswerHeaders | undefined {
  const name = dialect?.requestIdHeader
  return name === undefined ? undefined : { [name]: requestId }
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

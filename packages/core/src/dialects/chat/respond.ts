import type { GatewayResponse } from '../../contracts/host.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { type AnswerHeaders, HeaderList, PlainResponse } from '../../http/gateway-response.ts'
import type { ChatCompletion } from '../../protocol/chat.ts'
import { completionText } from './completion-text.ts'

/** Returns a JSON response. */
export function respondJson(
  status: number,
  value: unknown,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): GatewayResponse {
  return respondText(status, JSON.stringify(value), requestId, more)
}

function respondText(
  status: number,
  text: string,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): GatewayResponse {
  const headers = new HeaderList('application/json', 'no-store', requestId)
  headers.add(more)
  return new PlainResponse(status, text, headers)
}

/** Returns the error response of a rejected request. */
export function respondError(
  error: GatewayError,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): GatewayResponse {
  return respondJson(error.status, error.toBody(), requestId, { ...more, ...error.headers })
}

/** Returns a complete completion. */
export function respondCompletion(
  completion: ChatCompletion,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): GatewayResponse {
  return respondText(200, completionText(completion), requestId, more)
}

/** Returns a complete completion from its cached text. */
export function respondCached(
  text: string,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): GatewayResponse {
  return respondText(200, text, requestId, more)
}

/**
 * Returns a streamed completion. `no-transform` stops compression middleware from buffering events,
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

import type { GatewayError } from '../errors.ts'
import type { Answer } from '../host.ts'
import type { ChatCompletion } from '../protocol/chat.ts'

/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Record<string, string>

const common: AnswerHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'authorization',
}

/** An answer of JSON. */
export function respondJson(
  status: number,
  value: unknown,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': requestId, ...common, ...legal(more) },
    body: JSON.stringify(value),
  }
}

/** The answer to a request that is refused (protocol section 4). */
export function respondError(
  error: GatewayError,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): Answer {
  return respondJson(error.status, error.toBody(), requestId, { ...more, ...error.headers })
}

/** A whole completion (protocol section 2). */
export function respondCompletion(
  completion: ChatCompletion,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): Answer {
  return respondJson(200, completion, requestId, more)
}

/**
 * A streamed completion (protocol section 3.1). `no-transform` keeps compressing middleware from holding
 * events back, `x-accel-buffering` does so for nginx.
 */
export function respondStream(
  body: AsyncIterable<string>,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): Answer {
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-request-id': requestId,
      ...common,
      'cache-control': 'no-cache, no-store, no-transform',
      'x-accel-buffering': 'no',
      ...legal(more),
    },
    body,
  }
}

/** Headers that a policy gave, less those that HTTP cannot carry: they must not cost the caller the answer. */
function legal(headers: Readonly<AnswerHeaders>): Readonly<AnswerHeaders> {
  let clean: AnswerHeaders | undefined
  for (const name in headers) {
    const value: unknown = headers[name]
    const told = typeof value === 'string' || typeof value === 'number'
    if (told && headerName.test(name) && headerValue.test(String(value))) continue
    clean ??= { ...headers }
    delete clean[name]
  }
  return clean ?? headers
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

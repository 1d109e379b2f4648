import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { errorInBody, parseErrorResponse } from '../wire/upstream-error-response.ts'

/** The status of each error type, for errors without one: within a stream. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** Parses an error response of the Messages API. Never rejects. */
export async function parseMessagesError(
  response: UpstreamResponse,
  now: () => number,
): Promise<UpstreamError> {
  return withContextLengthCode(await parseErrorResponse(response, now))
}

/** Parses an error under status 200: `{ type: 'error', error: { type, message } }`. */
export function messagesErrorInBody(value: Fields): UpstreamError {
  const error = isFields(value.error) ? value.error : {}
  const type = textOf(error.type) ?? ''
  const status = Object.hasOwn(statuses, type) ? statuses[type] : undefined
  const refusal = errorInBody(status === undefined ? value : { error: { ...error, status_code: status } })
  if (refusal !== undefined) return withContextLengthCode(refusal)
  return new UpstreamError('The upstream ended its answer with an error.', { kind: 'refused', status: 500 })
}

/** Sets the code if the prompt and `max_tokens` together exceed the context, which has a message of its own. */
function withContextLengthCode(error: UpstreamError): UpstreamError {
  const { vendorMessage } = error
  if (error.status !== 400 || error.code !== null || vendorMessage === undefined) return error
  if (!/exceed context limit/i.test(vendorMessage)) return error
  return new UpstreamError(error.message, {
    kind: error.kind,
    vendorMessage,
    status: 400,
    code: 'context_length_exceeded',
    type: error.type,
    param: error.param,
  })
}

/** Returns the explanation of a refusal; `undefined` without a refusal or an explanation. */
export function refusalText(reason: unknown, details: unknown): string | undefined {
  return reason === 'refusal' && isFields(details) ? textOf(details.explanation) : undefined
}

import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { refusalWithin, upstreamRefusal } from '../wire/upstream-refusal.ts'

/** The status that each type of error stands for, where it comes without one: within a stream. */
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

/** An error answer of the Messages API. Never rejects. */
export async function messagesRefusal(response: UpstreamResponse, now: () => number): Promise<UpstreamError> {
  return told(await upstreamRefusal(response, now))
}

/** An error that came under status 200: `{ type: 'error', error: { type, message } }`. */
export function messagesRefusalWithin(value: Fields): UpstreamError {
  const error = isFields(value.error) ? value.error : {}
  const type = textOf(error.type) ?? ''
  const status = Object.hasOwn(statuses, type) ? statuses[type] : undefined
  const refusal = refusalWithin(status === undefined ? value : { error: { ...error, status_code: status } })
  if (refusal !== undefined) return told(refusal)
  return new UpstreamError('The upstream ended its answer with an error.', { kind: 'refused', status: 500 })
}

/** Prompt and `max_tokens` that are too much together are told in words of their own. */
function told(error: UpstreamError): UpstreamError {
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

/** What the vendor says of its refusal; `undefined` where it does not refuse or says nothing. */
export function refusalText(reason: unknown, details: unknown): string | undefined {
  return reason === 'refusal' && isFields(details) ? textOf(details.explanation) : undefined
}

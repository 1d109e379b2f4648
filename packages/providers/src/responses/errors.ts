import { UpstreamError } from '@sluice/core/provider'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { errorInBody } from '../wire/upstream-error-response.ts'

/** Codes of failed responses that do not name their status. */
const statuses: Readonly<Record<string, number>> = {
  invalid_prompt: 400,
  invalid_image: 400,
  server_error: 500,
}

/** Parses an error under status 200: a failed response, its `error`, or an event `error`, flat or nested. */
export function responseError(value: Fields): UpstreamError {
  const { message, code, param } = value
  const error = isFields(value.error) ? value.error : { message, code, param }
  const name = textOf(error.code) ?? ''
  const status = Object.hasOwn(statuses, name) ? { status_code: statuses[name] } : {}
  const parsed = errorInBody({ error: { ...error, ...status } })
  if (parsed?.vendorMessage !== undefined || parsed?.code != null) return parsed
  return new UpstreamError('The upstream ended its answer with an error.', { kind: 'refused', status: 500 })
}

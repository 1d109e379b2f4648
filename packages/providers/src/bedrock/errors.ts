import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { errorInBody, parseErrorResponse } from '../wire/upstream-error-response.ts'

/** The status of each exception of Bedrock: AWS sends some with another status. */
const statuses: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  ExpiredTokenException: 401,
  IncompleteSignatureException: 401,
  InternalServerException: 500,
  InvalidSignatureException: 401,
  MissingAuthenticationTokenException: 401,
  ModelErrorException: 424,
  ModelNotReadyException: 429,
  ModelStreamErrorException: 424,
  ModelTimeoutException: 504,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 429,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  UnrecognizedClientException: 401,
  ValidationException: 400,
}

/** Statuses of the model behind Bedrock that are more specific than 424, and not about the gateway's own access. */
const specificStatuses = new Set([400, 408, 413, 422, 429, 503, 504, 529])

/**
 * Parses an error response of Bedrock, with the type in the header `x-amzn-errortype` or in the body. Never rejects.
 *
 * @param now - milliseconds since 1970, for a `retry-after` that is a date.
 */
export async function parseBedrockError(
  response: UpstreamResponse,
  now: () => number,
): Promise<UpstreamError> {
  const { headers, body, status } = response
  let text: Promise<string>
  let value: unknown
  try {
    const whole = await response.text()
    text = Promise.resolve(whole)
    value = parseJson(whole)
  } catch (cause) {
    text = Promise.reject(cause)
  }
  if (!isFields(value)) return parseErrorResponse({ headers, body, status, text: () => text }, now)
  const type = exceptionName(headers.get('x-amzn-errortype') ?? textOf(value.__type) ?? textOf(value.code))
  // Models of other vendors can have error bodies of their own.
  const errorBody = type === undefined && isFields(value.error) ? value : { error: errorOf(type, value) }
  const known = { headers, body, status: statusOf(type, value) ?? status }
  return parseErrorResponse({ ...known, text: () => Promise.resolve(JSON.stringify(errorBody)) }, now)
}

/** Parses an exception within a stream, or in place of a completion. */
export function bedrockException(name: string, value: Fields): UpstreamError {
  const type = exceptionName(name)
  const error = { ...errorOf(type, value), status_code: statusOf(type, value) ?? 500 }
  return errorInBody({ error }) ?? new UpstreamError('The upstream failed.', { kind: 'refused', status: 500 })
}

function errorOf(type: string | undefined, body: Fields): Fields {
  return { message: textOf(body.message) ?? textOf(body.Message) ?? textOf(body.originalMessage), type }
}

/** `ThrottlingException:http://...` and `com.amazon.coral.service#ThrottlingException` without prefix and suffix. */
function exceptionName(text: string | undefined): string | undefined {
  const name = text?.split(':')[0]?.split('#').at(-1)?.trim()
  return name === undefined || name === '' ? undefined : name[0]!.toUpperCase() + name.slice(1)
}

function statusOf(type: string | undefined, { originalStatusCode }: Fields): number | undefined {
  const status = type !== undefined && Object.hasOwn(statuses, type) ? statuses[type] : undefined
  const original = countOf(originalStatusCode)
  return status === 424 && original !== undefined && specificStatuses.has(original) ? original : status
}

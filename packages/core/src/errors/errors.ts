import { ownMembers } from '../primitives/own-members.ts'
import { oneLine } from '../primitives/safe-text.ts'
import type { NativeError } from './native-error.ts'
import { noRetryHeaders } from './retry-headers.ts'

/**
 * All error reasons of the gateway, each with the status, `type`, `code` and default message of its response. `docs/errors.md`
 * says when each of them occurs.
 */
export const errorTable = {
  // Authentication and permissions. `missing_scope` is for your own functions: the gateway never throws it.
  missing_api_key: [
    401,
    'invalid_request_error',
    null,
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or in an x-api-key header.",
  ],
  invalid_api_key: [
    401,
    'invalid_request_error',
    'invalid_api_key',
    'Incorrect API key provided. Check the key in your Authorization or x-api-key header.',
  ],
  missing_scope: [
    403,
    'invalid_request_error',
    'missing_scope',
    'You have insufficient permissions for this operation.',
  ],
  model_not_allowed: [
    403,
    'invalid_request_error',
    'model_not_found',
    'You do not have access to this model.',
  ],
  model_not_priced: [
    403,
    'invalid_request_error',
    'model_not_priced',
    'A budget applies, and the model has no price for this request.',
  ],
  model_not_found: [
    404,
    'invalid_request_error',
    'model_not_found',
    'The model does not exist or you do not have access to it.',
  ],
  unknown_url: [404, 'invalid_request_error', null, 'Invalid URL.'],
  method_not_supported: [405, 'invalid_request_error', 'method_not_supported', 'Method not allowed.'],
  websocket_not_supported: [
    426,
    'invalid_request_error',
    'websocket_not_supported',
    'WebSocket connections are not supported here. Send the request by HTTP, with POST.',
  ],
  invalid_request: [400, 'invalid_request_error', null, 'The request is invalid.'],
  invalid_json: [
    400,
    'invalid_request_error',
    null,
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON.)",
  ],
  unsupported_content_type: [
    400,
    'invalid_request_error',
    'unsupported_content_type',
    "Unsupported content type. This API method only accepts 'application/json' requests.",
  ],
  missing_model: [400, 'invalid_request_error', null, 'you must provide a model parameter'],
  missing_required_parameter: [
    400,
    'invalid_request_error',
    'missing_required_parameter',
    'Missing required parameter.',
  ],
  empty_array: [400, 'invalid_request_error', 'empty_array', 'Invalid value: empty array.'],
  empty_string: [400, 'invalid_request_error', 'empty_string', 'Invalid value: empty string.'],
  invalid_type: [400, 'invalid_request_error', 'invalid_type', 'Invalid type.'],
  invalid_value: [400, 'invalid_request_error', 'invalid_value', 'Invalid value.'],
  decimal_above_max_value: [
    400,
    'invalid_request_error',
    'decimal_above_max_value',
    'Decimal above maximum value.',
  ],
  decimal_below_min_value: [
    400,
    'invalid_request_error',
    'decimal_below_min_value',
    'Decimal below minimum value.',
  ],
  integer_above_max_value: [
    400,
    'invalid_request_error',
    'integer_above_max_value',
    'Integer above maximum value.',
  ],
  integer_below_min_value: [
    400,
    'invalid_request_error',
    'integer_below_min_value',
    'Integer below minimum value.',
  ],
  array_above_max_length: [400, 'invalid_request_error', 'array_above_max_length', 'Array too long.'],
  string_above_max_length: [400, 'invalid_request_error', 'string_above_max_length', 'String too long.'],
  object_above_max_properties: [
    400,
    'invalid_request_error',
    'object_above_max_properties',
    'Too many properties.',
  ],
  property_name_above_max_length: [
    400,
    'invalid_request_error',
    'property_name_above_max_length',
    'Property name too long.',
  ],
  unknown_parameter: [400, 'invalid_request_error', 'unknown_parameter', 'Unknown parameter.'],
  previous_response_not_found: [
    400,
    'invalid_request_error',
    'previous_response_not_found',
    'The previous response was not found.',
  ],
  refused_by_policy: [
    400,
    'invalid_request_error',
    'refused_by_policy',
    'The request was refused by a policy of this gateway.',
  ],
  unsupported_parameter: [400, 'invalid_request_error', 'unsupported_parameter', 'Unsupported parameter.'],
  unsupported_value: [400, 'invalid_request_error', 'unsupported_value', 'Unsupported value.'],
  invalid_parameter_combination: [
    400,
    'invalid_request_error',
    'invalid_parameter_combination',
    'Invalid combination of parameters.',
  ],
  invalid_image_url: [
    400,
    'invalid_request_error',
    'invalid_image_url',
    'The image could not be fetched from its URL.',
  ],
  context_length_exceeded: [
    400,
    'invalid_request_error',
    'context_length_exceeded',
    "Your messages exceed this model's maximum context length. Please reduce the length of the messages.",
  ],
  content_filter: [
    400,
    'invalid_request_error',
    'content_filter',
    "The prompt was refused by the model's content filter.",
  ],
  request_timeout: [
    408,
    'invalid_request_error',
    'request_timeout',
    'The body of the request did not arrive in time.',
  ],
  idempotency_in_progress: [
    409,
    'invalid_request_error',
    'idempotency_in_progress',
    'A request with this idempotency key is in progress. Please try again when it has finished.',
  ],
  already_processed: [
    409,
    'invalid_request_error',
    'already_processed',
    'The request with this idempotency key was processed, and its response was too large to store. To send it again, use another key.',
  ],
  idempotency_key_reused: [
    422,
    'invalid_request_error',
    'idempotency_key_reused',
    'This idempotency key was used with another body. To send another request, use another key.',
  ],
  client_disconnected: [
    499,
    'invalid_request_error',
    'client_disconnected',
    'The client disconnected before the response.',
  ],
  body_too_large: [413, 'invalid_request_error', null, 'Maximum content size limit exceeded.'],
  rate_limit_exceeded: [
    429,
    'requests',
    'rate_limit_exceeded',
    'Rate limit reached. Please try again later.',
  ],
  tokens_rate_limit_exceeded: [
    429,
    'tokens',
    'rate_limit_exceeded',
    'Rate limit reached. Please try again later.',
  ],
  too_many_uploads: [
    429,
    'requests',
    'too_many_uploads',
    'You are sending too many request bodies at once. Please try again when others have arrived.',
  ],
  insufficient_quota: [
    429,
    'insufficient_quota',
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  server_error: [
    500,
    'server_error',
    null,
    'The server had an error while processing your request. Sorry about that!',
  ],
  upstream_error: [
    502,
    'server_error',
    'bad_gateway',
    'The model could not respond: the upstream server failed or returned a malformed response.',
  ],
  upstream_auth: [
    502,
    'server_error',
    'upstream_auth',
    "The model could not respond: the upstream server rejected this service's own credentials.",
  ],
  overloaded: [
    503,
    'service_unavailable_error',
    'server_is_overloaded',
    'The model is currently overloaded. Please try again later.',
  ],
  limiter_unavailable: [
    503,
    'service_unavailable_error',
    'limiter_unavailable',
    'Your rate limits cannot be checked right now. Please try again later.',
  ],
  limit_store_full: [
    503,
    'service_unavailable_error',
    'limit_store_full',
    'The service cannot count any more rate limits right now. Please try again later.',
  ],
  authentication_unavailable: [
    503,
    'service_unavailable_error',
    'authentication_unavailable',
    'Your API key cannot be verified right now. Please try again later.',
  ],
  ledger_unavailable: [
    503,
    'service_unavailable_error',
    'ledger_unavailable',
    'Your usage cannot be recorded right now. Please try again later.',
  ],
  service_overloaded: [
    503,
    'service_unavailable_error',
    'server_is_overloaded',
    'The service is currently overloaded. Please try again later.',
  ],
  response_store_unavailable: [
    503,
    'service_unavailable_error',
    'response_store_unavailable',
    'Stored responses cannot be read right now. Please try again later.',
  ],
  response_not_found: [404, 'invalid_request_error', null, 'The response was not found.'],
  idempotency_unavailable: [
    503,
    'service_unavailable_error',
    'idempotency_unavailable',
    'The idempotency key cannot be checked right now. Please try again later.',
  ],
  idempotency_full: [
    503,
    'service_unavailable_error',
    'idempotency_full',
    'Too many requests with idempotency keys are in progress. Please try again later.',
  ],
  shutting_down: [
    503,
    'service_unavailable_error',
    'server_is_overloaded',
    'The service is restarting. Please try again.',
  ],
  upstream_timeout: [504, 'server_error', 'timeout', 'The model did not respond in time.'],
} as const satisfies Record<
  string,
  readonly [status: number, type: string, code: string | null, message: string]
>

/**
 * Why the gateway rejects or fails a request: `docs/errors.md` explains each reason. It determines status, `type` and
 * `code` of the error.
 */
export type ErrorReason = keyof typeof errorTable

/** Options of a `GatewayError`. */
export interface GatewayErrorDetails {
  /** Replaces the default message. Callers see it, so it must not hold anything internal. Line breaks become spaces. */
  readonly message?: string
  /** Path of the offending field of the request: `messages[0].role`. */
  readonly param?: string | null
  /** Additional response headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The vendor's own error, for callers whose dialect it is in. Callers see it, so it must not hold anything internal.
   */
  readonly native?: NativeError
  /** The underlying error. It is passed to `observe`, never to the caller. */
  readonly cause?: unknown
}

/** The body of an error response. It always has these four fields. */
export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

const brand = Symbol.for('sluice.GatewayError')

/**
 * An error that becomes the response to the caller: throw it in your own policies. Any other error becomes a 500 with a
 * generic message.
 */
export class GatewayError extends Error {
  readonly reason: ErrorReason
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(reason: ErrorReason, given: GatewayErrorDetails = {}) {
    const details = ownMembers(given)
    const [status, type, code, message] = errorTable[reason]
    super(
      oneLine(details.message ?? message),
      details.cause === undefined ? undefined : { cause: details.cause },
    )
    this.name = 'GatewayError'
    this.reason = reason
    this.status = status
    this.type = type
    this.code = code
    this.param = typeof details.param === 'string' ? oneLine(details.param) : null
    this.headers = defaultHeaders(reason, status, details.headers)
    if (details.native !== undefined) nativeErrors.set(this, details.native)
    Object.defineProperty(this, brand, { value: true })
  }

  /** The vendor's own error, for callers whose dialect it is in. Others get `toBody()`. */
  get native(): NativeError | undefined {
    return nativeErrors.get(this)
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return (
      this.status === 408 ||
      this.reason === 'idempotency_in_progress' ||
      this.status >= 500 ||
      (this.status === 429 && this.reason !== 'insufficient_quota')
    )
  }

  /** Returns the body of the response. */
  toBody(): ErrorBody {
    return { error: { message: this.message, type: this.type, param: this.param, code: this.code } }
  }

  /** Returns the error as a `Response` with its status, headers and JSON body. */
  toResponse(): Response {
    return new Response(JSON.stringify(this.toBody()), {
      status: this.status,
      headers: { 'content-type': 'application/json', ...this.headers },
    })
  }

  /** Returns whether a value is a `GatewayError`, including those of another copy of this package. */
  static is(value: unknown): value is GatewayError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** Not a property: some loggers print all own properties of an error, even those that are not enumerable. */
const nativeErrors = new WeakMap<GatewayError, NativeError>()

function defaultHeaders(
  reason: ErrorReason,
  status: number,
  given: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  if (reason === 'missing_api_key') {
    return { 'www-authenticate': 'Bearer realm="chat-completions"', ...noRetryHeaders, ...given }
  }
  if (reason === 'invalid_api_key') {
    const challenge = 'Bearer realm="chat-completions", error="invalid_token"'
    return { 'www-authenticate': challenge, ...noRetryHeaders, ...given }
  }
  if (status === 403 || status === 404 || reason === 'insufficient_quota' || reason === 'already_processed')
    return { ...noRetryHeaders, ...given }
  if (reason === 'idempotency_in_progress') return { 'retry-after': '1', ...given }
  if (status === 503) return { 'retry-after': '1', ...given }
  return given
}

import { type ErrorReason, GatewayError } from '../errors/errors.ts'
import { modelNotFound } from '../errors/model-refusals.ts'
import type { NativeError } from '../errors/native-error.ts'
import { limitedRetryAfterHeaders } from '../errors/retry-headers.ts'
import type { UpstreamError } from '../errors/upstream-error.ts'
import { publicNativeError } from './public-native-error.ts'
import { redact } from './redact.ts'

/**
 * Converts an upstream's failure into the caller's error. Only a fault of the request itself (400, 422) has the upstream's
 * message, redacted. Credentials of the gateway that fail are a 502, never a 401 of the caller. An error in the caller's own
 * dialect stays with it, redacted, for statuses that are about the request.
 */
export function toGatewayError(error: UpstreamError, model: string): GatewayError {
  const cause = error
  switch (error.kind) {
    case 'connect_timeout':
    case 'first_byte_timeout':
    case 'idle_timeout':
    case 'response_timeout':
    case 'total_timeout':
      return new GatewayError('upstream_timeout', { cause })
    case 'refused':
      return ofStatus(error, model)
    // Also for a kind of a newer copy of this package.
    default:
      return new GatewayError('upstream_error', { cause })
  }
}

function ofStatus(error: UpstreamError, model: string): GatewayError {
  const cause = error
  if (error.code === 'insufficient_quota') return new GatewayError('insufficient_quota', { cause })
  const native = nativeOf(error)
  switch (error.status) {
    case 400:
    case 422:
      return ofRequest(error, native)
    case 401:
    case 403:
      return new GatewayError('upstream_auth', { cause })
    case 402:
      return new GatewayError('insufficient_quota', { cause })
    case 404:
      return modelNotFound(model, { ...native, cause })
    case 408:
    case 504:
      return new GatewayError('upstream_timeout', { cause })
    case 413:
      return new GatewayError('body_too_large', {
        message: 'The request is larger than the model takes.',
        ...native,
        cause,
      })
    case 429:
      return new GatewayError('rate_limit_exceeded', { headers: retryAfter(error.retryAfterMs), cause })
    case 503:
    case 529:
      return new GatewayError('overloaded', { headers: retryAfter(error.retryAfterMs), cause })
    default:
      return new GatewayError('upstream_error', { ...native, cause })
  }
}

/** The codes of refused content that callers may see. */
const publicCodes: ReadonlySet<string> = new Set<ErrorReason>([
  'unsupported_content_type',
  'missing_required_parameter',
  'empty_array',
  'empty_string',
  'invalid_type',
  'invalid_value',
  'decimal_above_max_value',
  'decimal_below_min_value',
  'integer_above_max_value',
  'integer_below_min_value',
  'array_above_max_length',
  'string_above_max_length',
  'object_above_max_properties',
  'property_name_above_max_length',
  'unknown_parameter',
  'unsupported_parameter',
  'unsupported_value',
  'invalid_parameter_combination',
  'context_length_exceeded',
  'content_filter',
  'invalid_image_url',
])

function ofRequest(error: UpstreamError, native: { readonly native?: NativeError }): GatewayError {
  const reason =
    error.code !== null && publicCodes.has(error.code) ? (error.code as ErrorReason) : 'invalid_request'
  const message = redact(error.vendorMessage ?? error.message)
  return new GatewayError(reason, {
    ...(message === '' ? {} : { message }),
    param: error.param !== null && /^[\w.[\]-]{1,200}$/.test(error.param) ? error.param : null,
    ...native,
    cause: error,
  })
}

function nativeOf({ native }: UpstreamError): { readonly native?: NativeError } {
  const found = native === undefined ? undefined : publicNativeError(native)
  return found === undefined ? {} : { native: found }
}

/** None where the vendor gave no valid time. */
function retryAfter(ms: number | undefined): Readonly<Record<string, string>> {
  return ms !== undefined && ms >= 0 ? limitedRetryAfterHeaders(ms) : {}
}

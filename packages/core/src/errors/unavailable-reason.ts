import { GatewayError } from './errors.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * Why a target is unavailable. `upstream_auth`: it refused this service's credentials. `insufficient_quota`: this
 * service's account is used up. `rate_limited`: it asked for a pause. `overloaded`: it answered with errors of its own.
 * `unreachable`: there was no connection, it timed out, or the connection was dropped.
 */
export type UnavailableReason =
  | 'upstream_auth'
  | 'insufficient_quota'
  | 'rate_limited'
  | 'overloaded'
  | 'unreachable'

/** Every reason, the one that passes soonest first. */
export const unavailableReasons: readonly UnavailableReason[] = [
  'rate_limited',
  'overloaded',
  'unreachable',
  'insufficient_quota',
  'upstream_auth',
]

/** Returns whether a value is a reason; another process may know others. */
export function isUnavailableReason(value: unknown): value is UnavailableReason {
  return unavailableReasons.some(reason => reason === value)
}

/** Returns the reason that stands for a failure. */
export function unavailableReason(error: unknown): UnavailableReason {
  if (GatewayError.is(error)) return error.reason === 'upstream_auth' ? 'upstream_auth' : 'overloaded'
  if (!UpstreamError.is(error)) return 'overloaded'
  const { kind, status, code } = error
  if (kind !== 'refused') return kind === 'garbled' ? 'overloaded' : 'unreachable'
  if (status === 402 || code === 'insufficient_quota') return 'insufficient_quota'
  if (status === 401 || status === 403) return 'upstream_auth'
  return status === 429 ? 'rate_limited' : 'overloaded'
}

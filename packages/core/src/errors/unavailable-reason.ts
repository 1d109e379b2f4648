import { GatewayError } from './errors.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * Why a target is unavailable. `upstream_auth`: it rejected the credentials of the gateway. `insufficient_quota`: the quota of
 * the gateway's account at the vendor is exhausted. `rate_limited`: it returned 429. `overloaded`: it returned any other error
 * response, such as 500 or 503, or an invalid one. `unreachable`: connecting failed, it timed out, or the connection was lost.
 */
export type UnavailableReason =
  | 'upstream_auth'
  | 'insufficient_quota'
  | 'rate_limited'
  | 'overloaded'
  | 'unreachable'

/** All reasons, in the order of how soon they usually pass. */
export const unavailableReasons: readonly UnavailableReason[] = [
  'rate_limited',
  'overloaded',
  'unreachable',
  'insufficient_quota',
  'upstream_auth',
]

/** Returns whether a value is a known reason. A process with another version may know others. */
export function isUnavailableReason(value: unknown): value is UnavailableReason {
  return unavailableReasons.some(reason => reason === value)
}

/** Returns the reason that corresponds to a failure. */
export function unavailableReason(error: unknown): UnavailableReason {
  if (GatewayError.is(error)) return error.reason === 'upstream_auth' ? 'upstream_auth' : 'overloaded'
  if (!UpstreamError.is(error)) return 'overloaded'
  const { kind, status, code } = error
  if (kind !== 'refused') return kind === 'garbled' ? 'overloaded' : 'unreachable'
  if (status === 402 || code === 'insufficient_quota') return 'insufficient_quota'
  if (status === 401 || status === 403) return 'upstream_auth'
  return status === 429 ? 'rate_limited' : 'overloaded'
}

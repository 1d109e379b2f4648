import { type EndEvent, GatewayError, UpstreamError } from '@sluice/core'
import { other } from './names.ts'

/** Returns the `error.type` of a request; `undefined` for a completed one. */
export function requestErrorType({ outcome, error }: EndEvent): string | undefined {
  if (outcome === 'completed') return undefined
  if (outcome === 'client_disconnected' || outcome === 'gateway_closed') return outcome
  return failureType(error)
}

/**
 * Returns a failure as a value of low cardinality: the status of an upstream's error response, the kind of another
 * upstream failure, or our own error reason. Never contains text of a vendor.
 */
export function failureType(error: unknown): string {
  if (UpstreamError.is(error)) {
    const { kind, status } = error
    if (kind === 'refused' && isStatus(status)) return String(status)
    return /^[a-z_]{1,40}$/.test(kind) ? kind : other
  }
  return GatewayError.is(error) ? error.reason : 'internal_error'
}

function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599
}

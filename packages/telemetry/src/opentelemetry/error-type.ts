import { type EndEvent, GatewayError, UpstreamError } from '@sluice/core'
import { other } from './names.ts'

/** The `error.type` of a request; `undefined` where it was answered. */
export function requestErrorType({ outcome, error }: EndEvent): string | undefined {
  if (outcome === 'completed') return undefined
  if (outcome === 'client_disconnected' || outcome === 'gateway_closed') return outcome
  return failureType(error)
}

/**
 * A failure in a few characters, and one of few: the status of an upstream that refused, how it failed else, or our own
 * code of a refusal. Words of vendors, which may be anything, are not among them.
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

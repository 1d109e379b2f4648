import { GatewayError, UpstreamError } from '@sluice/core'

/** Returns a code for a failure. It never contains the text of a vendor, of an exception, or of a caller. */
export function failureCode(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (UpstreamError.is(error)) return error.kind
  if (GatewayError.is(error)) return error.reason
  // The core's errors of a call that was cancelled; they are no failures.
  if (error instanceof Error && error.name === 'AnsweredElsewhere') return 'answered_elsewhere'
  if (error instanceof Error && error.name === 'LifeEnded') return 'cut_off'
  if (error instanceof Error && error.name === 'QueueLeft') return 'no_slot'
  return 'internal_error'
}

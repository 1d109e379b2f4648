import { GatewayError, UpstreamError } from '@sluice/core'

/** What went wrong, in a word of ours: never in those of a vendor, of an exception, or of a caller. */
export function failureCode(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (UpstreamError.is(error)) return error.kind
  if (GatewayError.is(error)) return error.reason
  // The core's reasons for a call that is cut off; they are no failures.
  if (error instanceof Error && error.name === 'AnsweredElsewhere') return 'answered_elsewhere'
  if (error instanceof Error && error.name === 'LifeEnded') return 'cut_off'
  return 'internal_error'
}

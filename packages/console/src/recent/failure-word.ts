import { GatewayError, UpstreamError } from '@sluice/core'

/** What went wrong, in a word of ours: never in those of a vendor, of an exception, or of a caller. */
export function failureWord(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (UpstreamError.is(error)) return error.kind
  if (GatewayError.is(error)) return error.refusal
  return 'internal_error'
}

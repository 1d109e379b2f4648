import { UpstreamError } from '@sluice/core'
import { failureWord } from '../recent/failure-word.ts'

/**
 * Why a target is not called, in a word: `rate_limited`, `credentials_refused`, `access_denied`, `quota_exhausted`, the
 * status of the provider's error (`http_503`), or how the call failed (`first_byte_timeout`). `undefined` where no failure is
 * known.
 */
export function targetReason(error: unknown): string | undefined {
  if (!UpstreamError.is(error) || error.kind !== 'refused') return failureWord(error)
  const { status, code } = error
  if (status === 402 || code === 'insufficient_quota') return 'quota_exhausted'
  if (status === 401) return 'credentials_refused'
  if (status === 403) return 'access_denied'
  if (status === 429) return 'rate_limited'
  return status === undefined ? 'refused' : `http_${status}`
}

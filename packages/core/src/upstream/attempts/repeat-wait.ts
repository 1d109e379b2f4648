import type { UpstreamError } from '../../errors/upstream-error.ts'
import type { RetryOptions } from '../health-options.ts'

/**
 * How long to wait before a place is asked again, in milliseconds: as long as it asked for, else a random share of a
 * bound that doubles with each repeat, so that those who failed together do not come back together. `undefined`: it
 * asked for longer than is waited.
 */
export function repeatWait(
  { retryAfterMs }: Pick<UpstreamError, 'retryAfterMs'>,
  repeats: number,
  random: number,
  { baseMs, maxMs, maxRetryAfterMs }: Pick<RetryOptions, 'baseMs' | 'maxMs' | 'maxRetryAfterMs'>,
): number | undefined {
  // A time that is none counts as none told.
  if (retryAfterMs !== undefined && retryAfterMs >= 0) {
    return retryAfterMs <= maxRetryAfterMs ? retryAfterMs : undefined
  }
  return random * Math.min(maxMs, baseMs * 2 ** repeats)
}

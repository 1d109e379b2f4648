import { maxTimerMs } from '../../clock/clock.ts'
import type { RetryOptions } from '../../contracts/call-options.ts'
import type { RoutedTarget } from '../../contracts/route.ts'
import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { isTooLarge } from '../health/classify-outcome.ts'

/** Whether another target may do better: the failure is not the request's own fault. */
export function shouldFallBack(error: unknown): boolean {
  // Another vendor may support what this one does not.
  if (GatewayError.is(error)) return error.status === 400
  if (!UpstreamError.is(error)) return false
  if (error.kind !== 'refused') return true
  return error.status !== 400 && error.status !== 413 && error.status !== 422
}

/** Whether a failure of a target leads to the next one: `fallbackOn` decides where the target has it. Throws `TypeError` where it returns no boolean. */
export function mayMoveOn({ fallbackOn }: Pick<RoutedTarget, 'fallbackOn'>, failure: unknown): boolean {
  if (fallbackOn === undefined || !UpstreamError.is(failure)) return shouldFallBack(failure)
  const may: unknown = fallbackOn(failure)
  if (typeof may === 'boolean') return may
  throw new TypeError(`fallbackOn of a target returned ${String(may)}, expected a boolean.`)
}

/** Statuses of transient failures. 424: the model failed at this one answer. 529: the vendor is overloaded. */
const transient: ReadonlySet<number | undefined> = new Set([408, 424, 429, 500, 502, 503, 504, 529])

/** Whether the same target may do better when it is called again. Not after a timeout: the next one would take as long. */
export function isRetryable(error: unknown): error is UpstreamError {
  if (!UpstreamError.is(error)) return false
  switch (error.kind) {
    case 'unreachable':
    case 'connect_timeout':
    case 'truncated':
    case 'garbled':
      return true
    case 'refused':
      // Not a 429 for a used-up quota, nor one for a request that is larger than the limit.
      return transient.has(error.status) && error.code !== 'insufficient_quota' && !isTooLarge(error)
    default:
      return false
  }
}

/**
 * Returns how long to wait before a retry, in milliseconds: the upstream's `retry-after`, else exponential backoff with full
 * jitter, so that requests that failed together do not retry together. `undefined`: `retry-after` exceeds the maximum.
 */
export function backoffDelay(
  { retryAfterMs }: Pick<UpstreamError, 'retryAfterMs'>,
  retries: number,
  random: number,
  { baseMs, maxMs, maxRetryAfterMs }: Pick<RetryOptions, 'baseMs' | 'maxMs' | 'maxRetryAfterMs'>,
): number | undefined {
  // An invalid time counts as absent.
  if (retryAfterMs !== undefined && retryAfterMs >= 0) {
    return retryAfterMs <= maxRetryAfterMs ? retryAfterMs : undefined
  }
  return random * Math.min(maxMs, baseMs * 2 ** retries)
}

/** Returns when another target is called beside this one, in monotonic milliseconds; infinite for never. */
export function hedgeTime({ hedgeAfterMs }: Pick<RoutedTarget, 'hedgeAfterMs'>, now: number): number {
  return hedgeAfterMs !== undefined && hedgeAfterMs >= 0 && hedgeAfterMs <= maxTimerMs
    ? now + hedgeAfterMs
    : Number.POSITIVE_INFINITY
}

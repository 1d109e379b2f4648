import type { RoutedTarget } from '../../contracts/route.ts'
import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { isTooLarge } from '../health/classify-outcome.ts'
import type { RetryOptions } from '../health/health-options.ts'

/** Whether a failure is worth another place: the fault is not the request's own. */
export function shouldFallBack(error: unknown): boolean {
  // What the vendor cannot express, another one may.
  if (GatewayError.is(error)) return error.status === 400
  if (!UpstreamError.is(error)) return false
  if (error.kind === 'total_timeout') return false
  if (error.kind !== 'refused') return true
  return error.status !== 400 && error.status !== 413 && error.status !== 422
}

/** Whether a failure of a target is worth another one: `on` decides where the target has it. Throws `TypeError` for what is no boolean. */
export function mayMoveOn({ fallbackOn }: Pick<RoutedTarget, 'fallbackOn'>, failure: unknown): boolean {
  if (fallbackOn === undefined || !UpstreamError.is(failure)) return shouldFallBack(failure)
  const may: unknown = fallbackOn(failure)
  if (typeof may === 'boolean') return may
  throw new TypeError(`fallbackOn of a target returned ${String(may)}, expected a boolean.`)
}

/** What passes by itself. 424: the model failed at this one answer. 529: the vendor is overloaded. */
const passing: ReadonlySet<number | undefined> = new Set([408, 424, 429, 500, 502, 503, 504, 529])

/**
 * Whether the same place may do better when it is asked again. Not after a slow failure: who waited for a minute would
 * wait for another.
 */
export function isRetryable(error: unknown): error is UpstreamError {
  if (!UpstreamError.is(error)) return false
  switch (error.kind) {
    case 'unreachable':
    case 'connect_timeout':
    case 'truncated':
    case 'garbled':
      return true
    case 'refused':
      // A 429 that says so does not pass, nor one that only a smaller request passes.
      return passing.has(error.status) && error.code !== 'insufficient_quota' && !isTooLarge(error)
    default:
      return false
  }
}

/**
 * How long to wait before a place is asked again, in milliseconds: as long as it asked for, else a random share of a
 * bound that doubles with each repeat, so that those who failed together do not come back together. `undefined`: it
 * asked for longer than is waited.
 */
export function backoffDelay(
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

/** Timers take no more. */
const longest = 2_147_483_647

/** When another target is called beside this one, in the time of `now`; infinite for never. */
export function hedgeTime({ hedgeAfterMs }: Pick<RoutedTarget, 'hedgeAfterMs'>, now: number): number {
  return hedgeAfterMs !== undefined && hedgeAfterMs >= 0 && hedgeAfterMs <= longest
    ? now + hedgeAfterMs
    : Number.POSITIVE_INFINITY
}

import { LRUCache } from 'lru-cache'
import { GatewayError } from '../../errors.ts'
import type { Limiter } from '../../stages/limit.ts'
import { duration } from './duration.ts'
import { type Decision, gcra, type Rate } from './gcra.ts'

const windows = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** The span of a limit. */
export type Window = keyof typeof windows

export interface RequestLimitOptions {
  /** How many callers are remembered; the one longest unseen is forgotten first. Default 100,000. */
  readonly maxCallers?: number
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * So many requests of each principal, in this process: `requests(60).per('minute')`. All of them may come
 * at once; then one is free again every sixtieth of a minute.
 *
 * Throws `TypeError` for a limit that is no whole number from 1.
 */
export function requests(limit: number): { per(window: Window, options?: RequestLimitOptions): Limiter } {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError(`requests(): got ${limit}, expected a whole number from 1.`)
  }
  return {
    per(window, options = {}) {
      const windowMs = Object.hasOwn(windows, window) ? windows[window] : undefined
      if (windowMs === undefined) {
        throw new TypeError(
          `requests().per(): got '${window}', expected 'second', 'minute', 'hour' or 'day'.`,
        )
      }
      return requestLimiter({ limit, windowMs }, window, options)
    },
  }
}

function requestLimiter(rate: Rate, window: Window, options: RequestLimitOptions): Limiter {
  const now = options.now ?? Date.now
  const arrivals = new LRUCache<string, number>({ max: options.maxCallers ?? 100_000 })
  return {
    admit(principal) {
      const decision = gcra(arrivals.get(principal.id), now(), rate)
      if (!decision.allowed) throw refused(decision, rate, window)
      arrivals.set(principal.id, decision.arrival)
      return { headers: headersOf(decision, rate), settle() {} }
    },
  }
}

function refused(decision: Decision, rate: Rate, window: Window): GatewayError {
  const waitMs = Math.max(1, Math.ceil(decision.waitMs))
  const unit = { second: 'RPS', minute: 'RPM', hour: 'RPH', day: 'RPD' }[window]
  return new GatewayError('rate_limit_exceeded', {
    message: `Rate limit reached on requests per ${window} (${unit}): Limit ${rate.limit}, Used ${rate.limit}, Requested 1. Please try again in ${duration(waitMs)}.`,
    headers: { ...headersOf(decision, rate), ...retryAfter(waitMs) },
  })
}

/** Clients obey `retry-after` up to a minute and ignore it beyond: a longer wait is told by the text and the reset. */
function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  if (waitMs > 60_000) return { 'x-should-retry': 'false' }
  return { 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(waitMs) }
}

function headersOf(decision: Decision, rate: Rate): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': String(rate.limit),
    'x-ratelimit-remaining-requests': String(decision.remaining),
    'x-ratelimit-reset-requests': duration(Math.ceil(decision.resetMs)),
  }
}

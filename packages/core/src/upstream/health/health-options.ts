import type { Clock } from '../../clock/clock.ts'
import type { StoreEvent, TargetEvent } from '../../contracts/events.ts'
import type { SharedHealth } from '../../contracts/shared-health.ts'

/** The circuit breaker of a target. */
export interface BreakerOptions {
  /** How many failures in a row open it; of a request and its retries the first counts. Default 5. */
  readonly failures: number
  /** The share of failures that opens it, above 0 and at most 1, of at least `minCalls` calls within `windowMs`. Default 0.5. */
  readonly errorRate: number
  /** The least number of calls for `errorRate`. Default 20. */
  readonly minCalls: number
  /** The window of `errorRate`, in milliseconds. Default 30,000. */
  readonly windowMs: number
  /** How long it stays open the first time, in milliseconds; twice as long each time its probe fails. Default 30,000. */
  readonly openMs: number
  /** The longest that it stays open, in milliseconds. Default 300,000. */
  readonly maxOpenMs: number
}

/** How a request is retried. */
export interface RetryOptions {
  /** The upper bound of the first backoff, in milliseconds. It doubles with each retry, with full jitter. Default 250. */
  readonly baseMs: number
  /** The largest bound, in milliseconds. Default 8,000. */
  readonly maxMs: number
  /**
   * The longest pause that an upstream may ask for before the request is retried there, in milliseconds. A request with no
   * other target fails at once when the pause is longer, and the response has the upstream's `retry-after`. Default 10,000.
   */
  readonly maxRetryAfterMs: number
  /** The share of a target's requests that may be retries, from 0 to 1. Default 0.2. */
  readonly budget: number
  /** How many retries are allowed whatever the share. Default 3. */
  readonly minBudget: number
}

/** The settings of health. Read at each use, as `reload` may replace them. */
export interface HealthSettings {
  /** `undefined`: neither circuit breaker nor cooldowns. */
  readonly breaker: BreakerOptions | undefined
  /** `undefined`: no retries. */
  readonly retry: RetryOptions | undefined
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
  readonly clock: Clock
  /** `undefined`: health is not shared with other processes. */
  readonly shared: SharedHealth | undefined
  /** Called with each change of a target's state, and of the shared store. Must not throw. */
  readonly changed: (event: TargetEvent | StoreEvent) => void
}

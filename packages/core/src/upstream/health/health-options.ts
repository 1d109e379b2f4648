import type { Clock } from '../../clock/clock.ts'
import type { ProviderKeyEvent, StoreEvent, TargetEvent } from '../../contracts/events.ts'
import type { SharedHealth } from '../../contracts/shared-health.ts'

/** Settings of the circuit breaker of each target. */
export interface BreakerOptions {
  /** Consecutive failures that open the breaker. Of a retried request, only the first failure counts. Default 5. */
  readonly failures: number
  /** Share of failures that opens it: above 0, at most 1. Applies from `minCalls` calls within `windowMs` on. Default 0.5. */
  readonly errorRate: number
  /** Minimum number of calls for `errorRate` to apply. Default 20. */
  readonly minCalls: number
  /** Window of `errorRate`, in milliseconds. Default 30,000. */
  readonly windowMs: number
  /** How long it stays open, in milliseconds. It doubles with each failed probe. Default 30,000. */
  readonly openMs: number
  /** Maximum time that it stays open, in milliseconds. Default 300,000. */
  readonly maxOpenMs: number
}

/** Settings of retries of the same target. */
export interface RetryOptions {
  /** Maximum backoff of the first retry, in milliseconds. It doubles with each retry, with full jitter. Default 250. */
  readonly baseMs: number
  /** Maximum backoff of any retry, in milliseconds. Default 8,000. */
  readonly maxMs: number
  /**
   * The longest `retry-after` of an upstream to wait for, in milliseconds. If it is longer and the request has no other
   * target, the request fails at once, and its response has the upstream's `retry-after`. Default 10,000.
   */
  readonly maxRetryAfterMs: number
  /** Retry budget: the share of a target's requests that may be retries, from 0 to 1. Default 0.2. */
  readonly budget: number
  /** Number of retries that are always allowed, whatever the share. Default 3. */
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
  /** Called with each change of a target's state, of a key's, and of the shared store. Must not throw. */
  readonly changed: (event: TargetEvent | ProviderKeyEvent | StoreEvent) => void
}

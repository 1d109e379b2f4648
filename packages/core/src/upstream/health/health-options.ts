import type { Clock } from '../../clock/clock.ts'
import type { StoreEvent, TargetEvent } from '../../contracts/events.ts'
import type { SharedHealth } from '../../contracts/shared-health.ts'

/** When a target that fails is left alone. */
export interface BreakerOptions {
  /** So many failures one after another open it, of a request that is sent again the first. Default 5. */
  readonly failures: number
  /** Or so large a share of failures, from above 0 to 1, among at least `minCalls` calls within `windowMs`. Default 0.5. */
  readonly errorRate: number
  /** Default 20. */
  readonly minCalls: number
  /** Default 30,000 milliseconds. */
  readonly windowMs: number
  /** How long it stays open the first time, in milliseconds; twice as long each time its probe fails. Default 30,000. */
  readonly openMs: number
  /** The longest that it stays open, in milliseconds. Default 300,000. */
  readonly maxOpenMs: number
}

/** How a request is sent again. */
export interface RetryOptions {
  /** The bound of the first wait, in milliseconds; it doubles with each, and chance decides below it. Default 250. */
  readonly baseMs: number
  /** The largest bound, in milliseconds. Default 8,000. */
  readonly maxMs: number
  /**
   * The longest pause that an upstream may ask for before the request is retried there, in milliseconds. A request with no
   * other target fails at once when the pause is longer, and the response has the upstream's `retry-after`. Default 10,000.
   */
  readonly maxRetryAfterMs: number
  /** The share of a target's requests that may be repeats, from 0 to 1. Default 0.2. */
  readonly budget: number
  /** So many may be, whatever the share. Default 3. */
  readonly minBudget: number
}

/** What health is judged by. Read at each use: another gateway's options may take their place. */
export interface HealthSettings {
  /** `undefined`: no target is left alone, neither for its failures nor because it asks for a pause. */
  readonly breaker: BreakerOptions | undefined
  /** `undefined`: nothing is repeated. */
  readonly retry: RetryOptions | undefined
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Monotonic milliseconds. */
  readonly clock: Clock
  /** `undefined`: other processes are told nothing, and asked for nothing. */
  readonly shared: SharedHealth | undefined
  /** Hears each change of a target's state once, and of what is shared. Must not throw. */
  readonly changed: (event: TargetEvent | StoreEvent) => void
}

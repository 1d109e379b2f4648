import type { Limiter } from './limiter.ts'
import type { PartialOptions } from './partial-options.ts'

/** Timeouts of your own functions and of upstream calls, in milliseconds. */
export interface Timeouts {
  /**
   * For each of your functions: `authenticate`, `route`, `authorize`, `limits`, `cache`, and `open` of `ledger`. The request
   * fails with a 500 on a timeout; with a 503 if it is that of `authenticate` or `limits`, or the ledger's and a budget applies.
   * Default 1,000.
   */
  readonly policyMs: number
  /** To connect to an upstream. Default 5,000. */
  readonly connectMs: number
  /**
   * From the call to the first byte of the head of a streamed response. It also bounds the requests that a provider makes
   * before any call, such as to fetch a token or images. Default 60,000.
   */
  readonly firstByteMs: number
  /**
   * From the call to the end of a response that is not streamed. Many vendors send nothing of it, not even the head, before
   * it is complete. `totalMs` may end it earlier. Default 600,000.
   */
  readonly responseMs: number
  /**
   * How long a call waits for one of the `maxConcurrent` calls of its provider while the request has another target: that one is
   * called then. Without another target, the call waits until `totalMs`. Default 1,000.
   */
  readonly queueMs: number
  /** Between two reads of a response body; for a stream, starting with its head. Default 120,000. */
  readonly idleMs: number
  /** From the first call to the end of the response, over all attempts. Default 600,000. */
  readonly totalMs: number
}

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
  /** Cooldown after a 429 without `retry-after`, in milliseconds. Default 1,000. */
  readonly cooldownMs: number
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

/** Timeouts that a target may have of its own. `totalMs` starts with the first call of the request, whichever target it was to. */
export type CallTimeouts = Pick<Timeouts, 'queueMs' | 'firstByteMs' | 'responseMs' | 'idleMs' | 'totalMs'>

/** How a target is called, where that differs from the options of the gateway. */
export interface CallOptions {
  /** Timeouts of its calls, in milliseconds. */
  readonly timeouts?: PartialOptions<CallTimeouts> | undefined
  /** The most upstream calls of a request, over all targets, with which this one is still called. */
  readonly maxAttempts?: number | undefined
  /** How a request is retried at it; `false`: never, but other targets are still called. */
  readonly retry?: PartialOptions<RetryOptions> | false | undefined
  /**
   * Its circuit breaker and cooldowns; `false`: neither. If several entries of a model table have options for one target, those of
   * its latest call apply.
   */
  readonly breaker?: PartialOptions<BreakerOptions> | false | undefined
  /**
   * Limits of the target, such as the quota of the vendor's account, whoever calls it. While one is exceeded, the target is skipped,
   * and others are called. Each attempt counts, a retry or a mirrored call too. The rules count by target: scopes have no effect.
   */
  readonly limits?: Limiter | undefined
}

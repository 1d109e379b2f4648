import type { Clock } from '../../clock/clock.ts'
import type { BreakerOptions, CallOptions, RetryOptions } from '../../contracts/call-options.ts'
import type { ProviderKeyEvent, StoreEvent, TargetEvent } from '../../contracts/events.ts'
import type { SharedHealth } from '../../contracts/shared-health.ts'
import { withDefaults } from '../../primitives/with-defaults.ts'

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
  /** How long an operation of the shared store may take, in milliseconds. Default 50. */
  readonly storeTimeoutMs?: number
  /** Called with each change of a target's state, of a key's, and of the shared store. Must not throw. */
  readonly changed: (event: TargetEvent | ProviderKeyEvent | StoreEvent) => void
}

export const defaultRetry: RetryOptions = {
  baseMs: 250,
  maxMs: 8_000,
  maxRetryAfterMs: 10_000,
  budget: 0.2,
  minBudget: 3,
}
export const defaultBreaker: BreakerOptions = {
  failures: 5,
  errorRate: 0.5,
  minCalls: 20,
  windowMs: 30_000,
  openMs: 30_000,
  maxOpenMs: 300_000,
  cooldownMs: 1_000,
}

/** Returns the retries of a target; `undefined`: none. */
export function retryOptionsOf(
  options: CallOptions | undefined,
  general: RetryOptions | undefined,
): RetryOptions | undefined {
  const own = options?.retry
  if (own === undefined) return general
  return own === false ? undefined : withDefaults(general ?? defaultRetry, own)
}

/** Returns the circuit breaker and cooldowns of a target; `undefined`: neither. */
export function breakerOptionsOf(
  options: CallOptions | undefined,
  general: BreakerOptions | undefined,
): BreakerOptions | undefined {
  const own = options?.breaker
  if (own === undefined) return general
  return own === false ? undefined : withDefaults(general ?? defaultBreaker, own)
}

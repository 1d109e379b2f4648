import type { TargetHealth, TargetUnavailable } from '../../contracts/target-health.ts'
import type { UnavailableReason } from '../../errors/unavailable-reason.ts'
import { type Breaker, probedMs } from './breaker.ts'
import { type Cooldowns, isOfAccount } from './cooldowns.ts'
import type { BreakerOptions } from './health-options.ts'

/** Why a target is not available, and for how long. */
export interface Unavailable extends TargetUnavailable {
  readonly reason: UnavailableReason
}

/**
 * How often an unavailable target is called by requests without another target, in milliseconds. The principal that called
 * it last waits twice as long, so that no principal takes every turn.
 */
const lastResortEveryMs = 1_000

/** Whether a target is available, by its breaker and its cooldowns: to all principals, or to one of them. */
export class Availability {
  readonly #breaker: Breaker
  readonly #cooldowns: Cooldowns
  /** The cooldowns from `retry-after` of the target. The last resort respects only these. */
  readonly #pauses: Cooldowns
  /** When it may be called next as the last resort, and the principal that did so last. */
  #lastResortAt = 0
  #lastResortBy: string | undefined

  constructor(breaker: Breaker, cooldowns: Cooldowns, pauses: Cooldowns) {
    this.#breaker = breaker
    this.#cooldowns = cooldowns
    this.#pauses = pauses
  }

  /** Returns why, and for how long, it is not available to a principal; without one, to some principal. */
  blockOf(now: number, principal?: string): Unavailable | undefined {
    const cooldown = this.#cooldowns.of(principal)
    const cooldownMs = this.#cooldowns.waitMs(now, principal)
    if (!this.#breaker.holds(principal)) {
      return cooldownMs > 0 ? { state: 'cooldown', waitMs: cooldownMs, reason: cooldown!.reason } : undefined
    }
    const openMs = this.#breaker.waitMs(now, principal)
    const waitMs = Math.max(openMs, cooldownMs)
    const state = this.#breaker.state(now)
    const isOpen = state === 'open' && openMs > 0
    if (!isOpen && cooldownMs > 0) return { state: 'cooldown', waitMs, reason: cooldown!.reason }
    return { state: isOpen ? 'open' : 'half_open', waitMs, reason: this.#breaker.reason }
  }

  /** Returns for whom it is unavailable. Call it only if it is unavailable to some principal. */
  scope(now: number): NonNullable<TargetHealth['scope']> {
    const { closed, openFor } = this.#breaker
    if (!closed && openFor === undefined) return 'all'
    const { longest, forAll } = this.#cooldowns
    const isForAll = longest?.principal === undefined ? longest : forAll
    return isForAll !== undefined && now < isForAll.until ? 'all' : 'principal'
  }

  /** Returns when a principal that it is not available to may call it as the last resort, in milliseconds; 0: now. */
  lastResortMs(now: number, principal: string, options: BreakerOptions | undefined): number {
    const pauseMs = this.#pauses.waitMs(now, principal)
    const holds = this.#breaker.holds(principal)
    if (holds && this.#breaker.answersSome(now, principal, options!)) return pauseMs
    if (holds && this.#breaker.isProbed(now)) return Math.max(pauseMs, probedMs)
    const cooldown = this.#cooldowns.of(principal)
    if (!holds && cooldown !== undefined && !isOfAccount(cooldown.reason)) return pauseMs
    const again = principal === this.#lastResortBy ? lastResortEveryMs : 0
    return Math.max(pauseMs, this.#lastResortAt + again - now, 0)
  }

  /** A principal calls it as the last resort. */
  takeLastResort(now: number, principal: string): void {
    this.#lastResortAt = now + lastResortEveryMs
    this.#lastResortBy = principal
  }

  /** It has just become unavailable: the last resort is not tried at once. */
  delayLastResort(now: number): void {
    this.#lastResortAt = now + lastResortEveryMs
  }

  /** No principal has called it as the last resort since it became unavailable. */
  forgetLastResort(): void {
    this.#lastResortBy = undefined
  }
}

import type { BreakerOptions } from '../../contracts/call-options.ts'
import type { TargetHealth, TargetUnavailable } from '../../contracts/target-health.ts'
import type { UnavailableReason } from '../../errors/unavailable-reason.ts'
import { type Breaker, probedMs } from './breaker.ts'
import { type Cooldowns, isOfAccount } from './cooldowns.ts'
import type { KeysCooldown, TargetKeys } from './target-keys.ts'

/** Why a target is not available, and for how long. */
export interface Unavailable extends TargetUnavailable {
  readonly reason: UnavailableReason
}

/**
 * How often an unavailable target is called by requests without another target, in milliseconds. The principal that called
 * it last waits twice as long, so that no principal takes every turn.
 */
const lastResortEveryMs = 1_000

/** Whether a target is available, by its breaker, its cooldowns and those of its keys: to all principals, or to one of them. */
export class Availability {
  readonly #breaker: Breaker
  readonly #cooldowns: Cooldowns
  /** The cooldowns from `retry-after` of the target. The last resort respects only these. */
  readonly #pauses: Cooldowns
  readonly #keys: TargetKeys | undefined
  /** When it may be called next as the last resort, and the principal that did so last. */
  #lastResortAt = 0
  #lastResortBy: string | undefined

  constructor(breaker: Breaker, cooldowns: Cooldowns, pauses: Cooldowns, keys: TargetKeys | undefined) {
    this.#breaker = breaker
    this.#cooldowns = cooldowns
    this.#pauses = pauses
    this.#keys = keys
  }

  /** Returns why, and for how long, it is not available to a principal; without one, to some principal. */
  blockOf(now: number, principal?: string): Unavailable | undefined {
    const cooldown = this.#cooldownOf(principal)
    const cooldownMs = cooldown === undefined ? 0 : Math.max(0, cooldown.until - now)
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
    return this.#cooldowns.isForAll(now) || this.#keys?.areRestingForAll(now) === true ? 'all' : 'principal'
  }

  /** Returns when a principal that it is not available to may call it as the last resort, in milliseconds; 0: now. */
  lastResortMs(now: number, principal: string, options: BreakerOptions | undefined): number {
    const ownPauseMs = this.#pauses.waitMs(now, principal)
    const pauseMs = Math.max(ownPauseMs, this.#keys?.pauseMs(now, principal) ?? 0)
    const holds = this.#breaker.holds(principal)
    if (holds && this.#breaker.answersSome(now, principal, options!)) return pauseMs
    if (holds && this.#breaker.isProbed(now)) return Math.max(pauseMs, probedMs)
    const again = principal === this.#lastResortBy ? lastResortEveryMs : 0
    const pacedMs = Math.max(this.#lastResortAt + again - now, 0)
    if (holds) return Math.max(pauseMs, pacedMs)
    const cooldown = this.#cooldowns.of(principal)
    const ownMs =
      cooldown !== undefined && isOfAccount(cooldown.reason) ? Math.max(ownPauseMs, pacedMs) : ownPauseMs
    return Math.max(ownMs, this.#keys?.lastResortMs(now, principal, pacedMs) ?? 0)
  }

  /** Returns the longer one of the target's own and that of its keys. */
  #cooldownOf(principal: string | undefined): KeysCooldown | undefined {
    const own = this.#cooldowns.of(principal)
    const ofKeys = this.#keys?.cooldown(principal)
    return ofKeys === undefined || (own !== undefined && own.until >= ofKeys.until) ? own : ofKeys
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

import type { UnavailableReason } from '../../errors/unavailable-reason.ts'
import type { ReportedTarget } from './synced-target.ts'

/** The maximum cooldown that is adopted from another process, in milliseconds. */
export const maxSharedCooldownMs = 60_000

/** A time in which a principal does not call a target. */
export interface Cooldown {
  /** The principal's digest; `undefined`: every principal. */
  readonly principal: string | undefined
  /** Monotonic milliseconds. */
  readonly until: number
  readonly reason: UnavailableReason
  /** When it began, in monotonic milliseconds. */
  readonly since: number
}

/**
 * The cooldowns of one target. A failure makes its principal wait, and every principal once another one has a failure too.
 * So the longest cooldown counts for its principal, and the longest of another principal counts for all.
 */
export class Cooldowns {
  #longest: Cooldown | undefined
  #forAll: Cooldown | undefined

  /** The longest one. */
  get longest(): Cooldown | undefined {
    return this.#longest
  }

  /** The one that counts for all principals. */
  get forAll(): Cooldown | undefined {
    return this.#forAll
  }

  add(cooldown: Cooldown, now: number): void {
    this.#expire(now)
    const { principal, until } = cooldown
    const longest = this.#longest
    if (principal === undefined) {
      if (!isLonger(this.#forAll, until)) this.#forAll = cooldown
      if (!isLonger(longest, until)) this.#longest = cooldown
    } else if (longest === undefined || longest.principal === principal) {
      if (!isLonger(longest, until)) this.#longest = cooldown
    } else if (isLonger(longest, until)) {
      if (!isLonger(this.#forAll, until)) this.#forAll = cooldown
    } else {
      this.#forAll = longest
      this.#longest = cooldown
    }
  }

  /** Returns the one that counts for a principal; without a principal, the one for any. */
  of(principal: string | undefined): Cooldown | undefined {
    const longest = this.#longest
    const isItsOwn = principal === undefined || longest?.principal === principal
    return isItsOwn ? longest : this.#forAll
  }

  waitMs(now: number, principal: string | undefined): number {
    const cooldown = this.of(principal)
    return cooldown === undefined ? 0 : Math.max(0, cooldown.until - now)
  }

  /** Whether every principal has to wait. */
  isForAll(now: number): boolean {
    const longest = this.#longest
    const isForAll = longest?.principal === undefined ? longest : this.#forAll
    return isForAll !== undefined && now < isForAll.until
  }

  /** Returns the cooldowns that other processes should respect: those for the rate of calls. */
  shared(now: number): Pick<ReportedTarget, 'cooldownMs' | 'pause'> {
    const longest = this.#longest
    const forAll = this.#forAll
    const wait = (until = 0, of?: UnavailableReason) => (of === 'rate_limited' ? Math.max(0, until - now) : 0)
    const ms = wait(longest?.until, longest?.reason)
    return {
      cooldownMs: longest?.principal === undefined ? ms : wait(forAll?.until, forAll?.reason),
      pause: longest?.principal === undefined || ms === 0 ? undefined : { principal: longest.principal, ms },
    }
  }

  /** A call that began at `beganAt` was answered: credentials and account are good. */
  lift(beganAt: number): void {
    const lifted = (cooldown: Cooldown | undefined) =>
      cooldown !== undefined && isOfAccount(cooldown.reason) && cooldown.since < beganAt
    if (lifted(this.#forAll)) this.#forAll = undefined
    if (!lifted(this.#longest)) return
    // The cooldown of another principal stays.
    this.#longest = this.#forAll
    this.#forAll = undefined
  }

  clear(): void {
    this.#longest = undefined
    this.#forAll = undefined
  }

  #expire(now: number): void {
    if (this.#longest !== undefined && this.#longest.until <= now) this.#longest = undefined
    if (this.#forAll !== undefined && this.#forAll.until <= now) this.#forAll = undefined
  }
}

/** Whether a target refuses every request of the account, for an unknown time. */
export function isOfAccount(reason: UnavailableReason): boolean {
  return reason === 'upstream_auth' || reason === 'insufficient_quota'
}

function isLonger(cooldown: Cooldown | undefined, until: number): boolean {
  return cooldown !== undefined && cooldown.until >= until
}

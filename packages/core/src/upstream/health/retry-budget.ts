import type { RetryOptions } from '../../contracts/call-options.ts'
import { RecentCount } from './recent-values.ts'

/** How long a first call counts for the budget, in milliseconds. */
const spanMs = 10_000

type Share = Pick<RetryOptions, 'budget' | 'minBudget'>

/**
 * Limits how many of a target's calls are retries, so that retries do not keep an overloaded target down.
 *
 * At one time: at most `budget` of the active calls, or `minBudget`. And since the target was last idle: at most
 * `minBudget`, and `budget` for each first call of the last 10 seconds. It is idle after 10 seconds without an active
 * call or a waiting retry. However long clients wait, a burst of `n` requests makes no more than
 * `n * (1 + budget) + minBudget` calls.
 *
 * Principals share it: while several retry, each has an equal share of the last 10 seconds. If the others have used it
 * up, a principal without a retry borrows one, `minBudget` in all; first calls pay them back.
 */
export class RetryBudget {
  readonly #firsts = new RecentCount()
  readonly #shares = new RetryShares(spanMs)
  #left: number | undefined
  #active = 0
  /** Retries that were allowed and have not begun. */
  #pending = 0
  #idleSince = Number.NEGATIVE_INFINITY

  /** Retries that were allowed and are not released. */
  get active(): number {
    return this.#active
  }

  /** Records the start of a call while `calls` others run. Returns whether it is an allowed retry. */
  began(now: number, calls: number, { budget }: Share): boolean {
    if (calls === 0 && this.#active === 0 && now - this.#idleSince >= spanMs) this.#left = undefined
    if (this.#pending > 0) {
      // A first call may begin before the retry: the two are then counted in reverse, with the same sum.
      this.#pending--
      return true
    }
    this.#firsts.add(now, spanMs)
    if (this.#left !== undefined) this.#left += budget
    return false
  }

  /** Records that the last active call has ended. */
  becameIdle(now: number): void {
    this.#idleSince = now
  }

  /** Returns a function that releases the retry of a principal; `undefined`: there are too many. `calls` are under way. */
  take(
    now: number,
    calls: number,
    { budget, minBudget }: Share,
    principal = '',
  ): ((now: number) => void) | undefined {
    const share = this.#shares.of(principal, now)
    const mostActive = Math.max(minBudget, budget * calls)
    const most = minBudget + budget * this.#firsts.within(spanMs, now)
    const left = Math.min(this.#left ?? most, most)
    // Sums of fractions: five fifths are one.
    const isLeft = this.#active < mostActive && left >= 1 - 1e-6
    if (!(isLeft ? this.#isFair(share, now, mostActive, most) : this.#isLent(share, now, left, minBudget))) {
      return undefined
    }
    this.#left = left - 1
    this.#active++
    this.#pending++
    share.active++
    share.recent.add(now, spanMs)
    let held = true
    return at => {
      if (!held) return
      held = false
      share.active--
      this.#active--
      this.#pending = Math.min(this.#pending, this.#active)
      this.#idleSince = at
    }
  }

  /** Whether a principal has not used its share yet. A single one may use all. */
  #isFair({ recent, active }: RetryShare, now: number, mostActive: number, most: number): boolean {
    const { size } = this.#shares
    if (size === 1) return true
    return active < Math.max(1, mostActive / size) && recent.within(spanMs, now) < Math.max(1, most / size)
  }

  #isLent({ recent, active }: RetryShare, now: number, left: number, minBudget: number): boolean {
    if (this.#shares.size === 1 || active > 0 || recent.within(spanMs, now) > 0) return false
    return left - 1 >= -minBudget && this.#active < 2 * minBudget
  }
}

/** The maximum of principals: beyond it the one whose last retry is oldest is dropped. */
const maxPrincipals = 100

/** What one principal took of a target's retries. */
interface RetryShare {
  /** Retries that were allowed within the span. */
  readonly recent: RecentCount
  /** Retries that were allowed and are not released. */
  active: number
  lastAt: number
}

/** The retries of each principal at a target within a span of time. */
class RetryShares {
  readonly #spanMs: number
  /** By principal, the latest last. */
  readonly #shares = new Map<string, RetryShare>()

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** How many principals retried within the span, or still hold a retry. */
  get size(): number {
    return this.#shares.size
  }

  /** Returns the share of a principal that retries now. */
  of(principal: string, now: number): RetryShare {
    const share = this.#shares.get(principal) ?? { recent: new RecentCount(), active: 0, lastAt: now }
    share.lastAt = now
    this.#shares.delete(principal)
    for (const [other, { active, lastAt }] of this.#shares) {
      const isOver = active === 0 && now - lastAt >= this.#spanMs
      if (isOver || this.#shares.size >= maxPrincipals) this.#shares.delete(other)
    }
    this.#shares.set(principal, share)
    return share
  }
}

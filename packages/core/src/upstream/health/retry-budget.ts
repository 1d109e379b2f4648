import type { RetryOptions } from './health-options.ts'
import { RecentCount } from './recent-values.ts'

/** What is not spent of a first call is of no use after so long, in milliseconds. */
const spanMs = 10_000

type Share = Pick<RetryOptions, 'budget' | 'minBudget'>

/**
 * How many of a target's calls may be repeats, so that those who repeat do not keep down what is down.
 *
 * Under way: at most `budget` of the active calls, or `minBudget`. And since the target last rested: at most
 * `minBudget`, and `budget` for each first call, of which those of the last 10 seconds count. It rests when for 10
 * seconds no call was under way, and no repeat waited. However long its clients wait, a burst of `n` requests makes no
 * more than `n * (1 + budget) + minBudget` calls.
 *
 * Principals share it: while several ask for repeats, each has an equal part of those of the last 10 seconds. Where the
 * others have used it up, a principal that had none is lent one, `minBudget` in all; first calls pay them back.
 */
export class RetryBudget {
  readonly #firsts = new RecentCount()
  readonly #shares = new RetryShares(spanMs)
  #left: number | undefined
  #active = 0
  /** Repeats that were allowed and have not begun. */
  #pending = 0
  #quietSince = Number.NEGATIVE_INFINITY

  /** Repeats that were allowed and are not given back. */
  get active(): number {
    return this.#active
  }

  /** A call begins beside `calls` others: a first one, or a repeat that was allowed, which it tells. */
  began(now: number, calls: number, { budget }: Share): boolean {
    if (calls === 0 && this.#active === 0 && now - this.#quietSince >= spanMs) this.#left = undefined
    if (this.#pending > 0) {
      // A first call may have taken the place of a repeat: then that one is counted as the first, which is the same.
      this.#pending--
      return true
    }
    this.#firsts.add(now, spanMs)
    if (this.#left !== undefined) this.#left += budget
    return false
  }

  /** The last call that was under way has ended. */
  quiet(now: number): void {
    this.#quietSince = now
  }

  /**
   * Leave for a repeat of a principal, to be given back once; `undefined`: there are too many. `calls` are those under way.
   */
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
      this.#quietSince = at
    }
  }

  /** Whether a principal has not had its part yet. A single one may have all. */
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

/** Of more principals the one that asked longest ago is forgotten. */
const maxPrincipals = 100

/** What one principal took of a target's retries. */
interface RetryShare {
  /** Retries that were allowed within the span. */
  readonly recent: RecentCount
  /** Retries that were allowed and are not given back. */
  active: number
  askedAt: number
}

/** Who asked for retries of a target within a span of time, and got how many. */
class RetryShares {
  readonly #spanMs: number
  /** By principal; who asked last is last. */
  readonly #shares = new Map<string, RetryShare>()

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** How many principals asked lately, or still have a retry. */
  get size(): number {
    return this.#shares.size
  }

  /** The share of a principal that asks now. */
  of(principal: string, now: number): RetryShare {
    const share = this.#shares.get(principal) ?? { recent: new RecentCount(), active: 0, askedAt: now }
    share.askedAt = now
    this.#shares.delete(principal)
    for (const [other, { active, askedAt }] of this.#shares) {
      const isOver = active === 0 && now - askedAt >= this.#spanMs
      if (isOver || this.#shares.size >= maxPrincipals) this.#shares.delete(other)
    }
    this.#shares.set(principal, share)
    return share
  }
}

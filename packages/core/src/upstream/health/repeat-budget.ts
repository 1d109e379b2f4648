import type { RetryOptions } from '../../health-options.ts'
import { RecentCount } from './recent-count.ts'

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
 */
export class RepeatBudget {
  readonly #firsts = new RecentCount()
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

  /** Leave for a repeat, to be given back once; `undefined`: there are too many. `calls` are those under way. */
  take(now: number, calls: number, { budget, minBudget }: Share): ((now: number) => void) | undefined {
    if (this.#active >= Math.max(minBudget, budget * calls)) return undefined
    const most = minBudget + budget * this.#firsts.within(spanMs, now)
    const left = Math.min(this.#left ?? most, most)
    // Sums of fractions: five fifths are one.
    if (left < 1 - 1e-6) return undefined
    this.#left = left - 1
    this.#active++
    this.#pending++
    let held = true
    return at => {
      if (!held) return
      held = false
      this.#active--
      this.#pending = Math.min(this.#pending, this.#active)
      this.#quietSince = at
    }
  }
}

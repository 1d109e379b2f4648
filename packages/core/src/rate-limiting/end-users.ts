import type { Draft } from '../contracts/draft.ts'
import type { BudgetWindow, Principal, Window } from '../contracts/principal.ts'
import { endUser } from '../primitives/end-user.ts'
import { principalKey } from '../primitives/principal-key.ts'

/** The end users of all principals together that a rule counts separately. */
const maxTotal = 100_000

const hourMs = 3_600_000
const spansMs: Readonly<Record<Window | BudgetWindow, number>> = {
  second: hourMs,
  minute: hourMs,
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 31 * 24 * hourMs,
  ever: Number.POSITIVE_INFINITY,
}

/** Names of the users of principals, by `principalKey`. */
type Names = Map<string, Set<string>>

/**
 * Decides which end users have a counter of their own. Callers choose the names, so that only a number of them per principal has
 * one: all others of that principal share one more. A name is remembered for at least a window of its rule, in which its counter
 * may be in use.
 */
export class EndUsers {
  readonly #max: number
  readonly #now: () => number
  readonly #spanMs: number
  #names: Names = new Map()
  #earlier: Names = new Map()
  #total = 0
  #earlierTotal = 0
  #until: number

  /**
   * @param window - the window of the rule; `undefined` for concurrent requests.
   * @param max - the maximum number of users of a principal with their own counter.
   * @param now - returns milliseconds, monotonic.
   */
  constructor(window: Window | BudgetWindow | undefined, max: number, now: () => number) {
    this.#max = max
    this.#now = now
    this.#spanMs = spansMs[window ?? 'hour']
    this.#until = now() + this.#spanMs
  }

  /**
   * Returns what names the counter among those of its principal: `=` and the user, `/others` if too many have one already, or an
   * empty text for a request that names no user.
   */
  counterOf(principal: Principal, draft: Draft): string {
    const user = endUser(draft.outline.user)
    if (user === undefined) return ''
    this.#rotate()
    const owner = principalKey(principal)
    const names = this.#names.get(owner)
    if (names?.has(user)) return `=${user}`
    const earlier = this.#earlier.get(owner)
    const isKnown = earlier?.has(user) === true
    if (isKnown) {
      earlier.delete(user)
      this.#earlierTotal--
    } else {
      const count = (names?.size ?? 0) + (earlier?.size ?? 0)
      if (count >= this.#max || this.#total + this.#earlierTotal >= Math.max(maxTotal, this.#max))
        return '/others'
    }
    if (names === undefined) this.#names.set(owner, new Set([user]))
    else names.add(user)
    this.#total++
    return `=${user}`
  }

  #rotate(): void {
    const now = this.#now()
    if (now < this.#until) return
    // After a second span without a request, the earlier ones are out of date too.
    const isLate = now >= this.#until + this.#spanMs
    this.#earlier = isLate ? new Map() : this.#names
    this.#earlierTotal = isLate ? 0 : this.#total
    this.#names = new Map()
    this.#total = 0
    this.#until = now + this.#spanMs
  }
}

/** The end users of each window, over all rules: the rules of a principal are compiled again whenever its key is read. */
export class EndUsersByWindow {
  readonly #max: number
  readonly #now: () => number
  readonly #byWindow = new Map<string, EndUsers>()

  /** `max`: the maximum number of users of a principal. `now`: returns milliseconds, monotonic. */
  constructor(max: number, now: () => number) {
    this.#max = max
    this.#now = now
  }

  of(window: Window | BudgetWindow | undefined): EndUsers {
    const key = window ?? 'concurrent'
    const known = this.#byWindow.get(key)
    if (known !== undefined) return known
    const users = new EndUsers(window, this.#max, this.#now)
    this.#byWindow.set(key, users)
    return users
  }
}

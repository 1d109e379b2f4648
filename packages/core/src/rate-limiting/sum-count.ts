import type { CounterState, SumCounter } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'
import { windowAt, windowStart } from './calendar.ts'
import type { HeldPart, OpenClaim } from './count.ts'
import { Count, most } from './count.ts'

/** A sum over a window of the calendar. A clock that is set back opens no earlier window again. */
export class SumCount extends Count {
  readonly kind = 'sum'
  #sum = 0
  #window = Number.NEGATIVE_INFINITY
  /** Of the counter that was counted last. */
  #span: SumCounter['window'] = 'ever'
  #limit = 0

  load({ window, limit }: SumCounter, { wallUs }: Moment): void {
    this.#span = window
    this.#limit = limit
    const index = windowAt(window, wallUs)
    if (index <= this.#window) return
    this.#sum = this.#sumIn(index)
    this.#window = index
  }

  isIdle({ wallUs }: Moment): boolean {
    return this.#sumIn(windowAt(this.#span, wallUs)) === 0
  }

  /** What is left of the sum in a window: each one that has ended since took up to the limit of it. */
  #sumIn(index: number): number {
    if (this.#sum === 0 || index <= this.#window) return this.#sum
    return Math.max(0, this.#sum - (index - this.#window) * this.#limit)
  }

  isOver({ amount, limit }: SumCounter): boolean {
    return this.#sum + amount > limit
  }

  take({ amount }: SumCounter): number {
    this.#sum += amount
    return this.#window
  }

  settle({ counter, window }: HeldPart, _: OpenClaim, charged: number, live: boolean): void {
    const { amount, floor } = counter as SumCounter
    const more = charged - (live ? amount : floor)
    if (more > 0 || window === this.#window) this.#sum = Math.min(most, Math.max(0, this.#sum + more))
  }

  expire({ counter, window }: HeldPart, _: OpenClaim, atUs: number): void {
    const { amount, floor, window: span } = counter as SumCounter
    const before = window === this.#window && windowAt(span, atUs) <= window
    if (before) this.#sum = Math.max(0, this.#sum - amount + floor)
  }

  standing(counter: SumCounter, over: boolean, { wallUs }: Moment): CounterState {
    const { limit, amount } = counter
    const resetMs = this.#sum === 0 ? 0 : this.#spanOf(counter, this.#sum, wallUs)
    let waitMs = 0
    if (over) {
      waitMs =
        amount > limit ? Number.POSITIVE_INFINITY : this.#spanOf(counter, this.#sum + amount - limit, wallUs)
    }
    return { over, remaining: Math.max(0, limit - this.#sum), resetMs, waitMs }
  }

  /** Milliseconds until what is needed is there, by as many windows as that takes. */
  #spanOf({ window, limit }: SumCounter, needed: number, wallUs: number): number {
    const start = windowStart(window, this.#window + Math.max(1, Math.ceil(needed / limit)))
    return start === Number.POSITIVE_INFINITY && window !== 'ever' ? most / 1_000 : (start - wallUs) / 1_000
  }
}

import type { CounterState, RateCounter } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'
import { burstOf, cellCost, cellsIn } from './cell-cost.ts'
import type { HeldPart, OpenClaim } from './count.ts'
import { Count, most } from './count.ts'

/**
 * The time at which all of a rate is free again, and beside it what claims hold, which does not flow back with time. A
 * time that has passed is as good as none.
 */
export class RateCount extends Count {
  readonly kind = 'rate'
  #arrival = 0
  #held = 0

  load(_: RateCounter, { us }: Moment): void {
    if (this.#arrival < us) this.#arrival = us
  }

  isIdle({ us }: Moment): boolean {
    return this.#arrival <= us && this.#held === 0
  }

  isOver(counter: RateCounter, { us }: Moment): boolean {
    return this.#arrival + this.#held + cellCost(counter, counter.amount) > us + burstOf(counter)
  }

  take(counter: RateCounter): number {
    const cost = cellCost(counter, counter.amount)
    if (counter.floor === undefined) this.#charge(cost)
    else this.#held = Math.min(most, this.#held + cost)
    return 0
  }

  settle(part: HeldPart, _: OpenClaim, charged: number, live: boolean): void {
    const counter = part.counter as RateCounter
    const cost = cellCost(counter, charged)
    if (live) {
      this.#held -= cellCost(counter, counter.amount)
      this.#charge(cost)
    } else {
      // The floor has flowed back with time: only what came on top of it is still to be charged.
      this.#charge(Math.max(0, cost - floorCost(counter)))
    }
  }

  expire({ counter }: HeldPart, { expiresAt }: OpenClaim): void {
    this.#held -= cellCost(counter as RateCounter, (counter as RateCounter).amount)
    if (this.#arrival < expiresAt) this.#arrival = expiresAt
    this.#charge(floorCost(counter as RateCounter))
  }

  standing(counter: RateCounter, over: boolean, { us }: Moment): CounterState {
    const burst = burstOf(counter)
    const used = Math.max(0, this.#arrival - us) + this.#held
    return {
      over,
      remaining: cellsIn(counter, Math.max(0, burst - used)),
      resetMs: used / 1_000,
      waitMs: over ? waitMs(cellCost(counter, counter.amount), used, burst) : 0,
    }
  }

  #charge(cost: number): void {
    this.#arrival = Math.min(most, this.#arrival + cost)
  }
}

function floorCost(counter: RateCounter): number {
  return cellCost(counter, counter.floor ?? counter.amount)
}

function waitMs(cost: number, used: number, burst: number): number {
  return cost > burst ? Number.POSITIVE_INFINITY : (used + cost - burst) / 1_000
}

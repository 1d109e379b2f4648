import type { Counter, CounterState } from './limit-store.ts'
import type { HeldPart, OpenClaim } from './open-claims.ts'
import type { Moment } from './store-clock.ts'

/** One count in memory. Its methods are given counters of its own kind only. */
export abstract class Count {
  abstract readonly kind: Counter['kind']
  readonly key: string
  /** How many open claims hold something of it. */
  holders = 0
  /** Whether the store remembers it. */
  kept = false
  /** Whether it stands in the row of those that may be forgotten, and between whom. */
  inRow = false
  newer: Count | undefined
  older: Count | undefined

  constructor(key: string) {
    this.key = key
  }

  /** Brings it to this moment: before any other method but `expire`. */
  abstract load(counter: Counter, moment: Moment): void
  abstract isOver(counter: Counter, moment: Moment): boolean
  /** The number of the window in which it was taken; 0 where there are no windows. */
  abstract take(counter: Counter, claim: OpenClaim): number
  /** Corrects what was taken, of a claim that is `live` or fell back to its floor, to what was charged. */
  abstract settle(part: HeldPart, claim: OpenClaim, charged: number, live: boolean): void
  /** Gives back all but the floor of a claim whose time was over at `wallUs`. */
  abstract expire(part: HeldPart, claim: OpenClaim, wallUs: number): void
  abstract standing(counter: Counter, over: boolean, moment: Moment): CounterState
}

/** Doubles are whole numbers up to here. No count goes beyond it. */
export const most = Number.MAX_SAFE_INTEGER

import type { Counter, CounterState } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'
import type { HeldPart, OpenClaim } from './open-claims.ts'

/** One count in memory. Its methods are given counters of its own kind only. */
export abstract class Count {
  abstract readonly kind: Counter['kind']
  readonly key: string
  /** How many claims on it are still to be settled. */
  holders = 0
  /** Whether the store keeps it. */
  kept = false

  constructor(key: string) {
    this.key = key
  }

  /** Brings it to this moment: before any other method but `expire` and `isIdle`. */
  abstract load(counter: Counter, moment: Moment): void
  /** Whether a new count would be the same: nothing of it is used, owed or held. */
  abstract isIdle(moment: Moment): boolean
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

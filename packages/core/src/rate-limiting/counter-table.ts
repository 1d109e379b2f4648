import type { Counter, CounterState } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'

/** One count in memory. Its methods accept only counters of its own kind. */
export abstract class Count {
  abstract readonly kind: Counter['kind']
  readonly key: string
  /** Number of claims on it that are not settled. */
  holders = 0
  /** Whether the store contains it. */
  stored = false

  constructor(key: string) {
    this.key = key
  }

  /** Advances it to this moment. Call it before any other method except `expire` and `isIdle`. */
  abstract load(counter: Counter, moment: Moment): void
  /** Whether a new count would be equal: nothing is used, owed or reserved. */
  abstract isIdle(moment: Moment): boolean
  abstract isOver(counter: Counter, moment: Moment): boolean
  /** Reserves an amount. Returns the number of the window, or 0 if there are no windows. */
  abstract take(counter: Counter, claim: OpenClaim): number
  /** Corrects the reserved amount to the charged one. A claim that is not `live` has fallen back to its floor. */
  abstract settle(part: ClaimReservation, claim: OpenClaim, charged: number, live: boolean): void
  /** Releases all but the floor of a claim that expired at `wallUs`. */
  abstract expire(part: ClaimReservation, claim: OpenClaim, wallUs: number): void
  abstract state(counter: Counter, over: boolean, moment: Moment): CounterState
}

/** Maximum value of a count: the largest safe integer. */
export const maxCount = Number.MAX_SAFE_INTEGER

/** The reservation of a claim in one count. */
export class ClaimReservation {
  readonly count: Count
  readonly counter: Counter
  /** Its index among the counters of the claim. */
  readonly index: number
  /** The window of the sum in which it was reserved. */
  readonly window: number
  /** The reservation of the same claim in another count. */
  readonly next: ClaimReservation | undefined

  constructor(
    count: Count,
    counter: Counter,
    index: number,
    window: number,
    next: ClaimReservation | undefined,
  ) {
    this.count = count
    this.counter = counter
    this.index = index
    this.window = window
    this.next = next
  }
}

/** A claim with reservations until it is settled or expires. */
export interface OpenClaim {
  readonly id: string
  /** Its reservations as a linked list, which saves an array per request. */
  held: ClaimReservation | undefined
  /** Whether it never expires. */
  readonly endless: boolean
  ttlUs: number
  expiresAt: number
}

/**
 * Claims in the order in which they expire. Each time to live has its own queue, so no queue is ever sorted. A gateway has
 * one time to live.
 */
export class OpenClaims {
  readonly #byId = new Map<string, OpenClaim>()
  readonly #queues = new Map<number, Set<OpenClaim>>()
  /** No claim expires before this time. */
  #nextAt = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#byId.size
  }

  get(id: string): OpenClaim | undefined {
    return this.#byId.get(id)
  }

  add(claim: OpenClaim): void {
    this.#byId.set(claim.id, claim)
    const queue = this.#queues.get(claim.ttlUs)
    if (queue === undefined) this.#queues.set(claim.ttlUs, new Set([claim]))
    else queue.add(claim)
    if (claim.expiresAt < this.#nextAt) this.#nextAt = claim.expiresAt
  }

  remove(claim: OpenClaim): void {
    this.#byId.delete(claim.id)
    const queue = this.#queues.get(claim.ttlUs)
    queue?.delete(claim)
    if (queue?.size === 0) this.#queues.delete(claim.ttlUs)
  }

  /** Removes and returns the expired claims, in order of expiry. */
  expired(now: number): readonly OpenClaim[] {
    if (now < this.#nextAt) return none
    const over: OpenClaim[] = []
    this.#nextAt = Number.POSITIVE_INFINITY
    for (const queue of this.#queues.values()) {
      for (const claim of queue) {
        if (claim.expiresAt > now) {
          this.#nextAt = Math.min(this.#nextAt, claim.expiresAt)
          break
        }
        over.push(claim)
      }
    }
    for (const claim of over) this.remove(claim)
    return over.sort((one, other) => one.expiresAt - other.expiresAt)
  }
}

const none: readonly OpenClaim[] = []

/** Throws `TypeError` if an amount is not a whole number: comparisons with `NaN` would never reject. */
export function checkCounter(counter: Counter): void {
  checkWhole(counter, 'limit', counter.limit, 1)
  if (counter.kind === 'lease') return
  checkWhole(counter, 'amount', counter.amount, 0)
  if (counter.kind === 'rate') checkWhole(counter, 'windowMs', counter.windowMs, 1)
  if (counter.floor === undefined) return
  checkWhole(counter, 'floor', counter.floor, 0)
  if (counter.floor > counter.amount) {
    throw new TypeError(
      `The counter ${counter.key}: got the floor ${counter.floor}, expected at most its amount, ${counter.amount}.`,
    )
  }
}

function checkWhole({ key }: Counter, what: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new TypeError(
    `The counter ${key}: got the ${what} ${value}, expected a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}.`,
  )
}

/** Maximum counts per search for idle ones, about 50 us. The next search continues after them. */
const maxScanned = 1_000

/**
 * A bounded table of counts by kind and key. It evicts only idle counts, which equal new ones: nobody can reset their usage
 * by filling the table.
 */
export class CountTable {
  readonly #max: number
  readonly #rates = new Map<string, Count>()
  readonly #sums = new Map<string, Count>()
  readonly #leases = new Map<string, Count>()
  /** Cycles through all counts. */
  readonly #cycle = this.#cycleCounts()
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  /** How many counts fit without eviction. */
  get free(): number {
    return this.#max - this.#size
  }

  find({ kind, key }: Counter): Count | undefined {
    return this.#of(kind).get(key)
  }

  /** Adds a count. The table must not be full. */
  add(count: Count): void {
    if (count.stored) return
    count.stored = true
    this.#of(count.kind).set(count.key, count)
    this.#size++
  }

  /** Evicts idle counts until `needed` more fit, but none of `inUse`. */
  evictIdle(needed: number, inUse: readonly Count[], moment: Moment): void {
    for (let scanned = 0; this.free < needed && this.#size > 0 && scanned < maxScanned; scanned++) {
      const count = this.#cycle.next().value
      if (count.holders > 0 || !count.isIdle(moment) || inUse.includes(count)) continue
      count.stored = false
      this.#of(count.kind).delete(count.key)
      this.#size--
    }
  }

  #of(kind: Counter['kind']): Map<string, Count> {
    if (kind === 'rate') return this.#rates
    return kind === 'sum' ? this.#sums : this.#leases
  }

  /** Call it only if there are counts: it loops until it finds one. */
  *#cycleCounts(): Generator<Count, never> {
    for (;;) {
      yield* this.#rates.values()
      yield* this.#sums.values()
      yield* this.#leases.values()
    }
  }
}

import type { Counter, CounterState } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'

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

/** What a claim holds of one count. */
export class HeldPart {
  readonly count: Count
  readonly counter: Counter
  /** Its place among the counters of the claim. */
  readonly index: number
  /** The window of a sum in which it was taken. */
  readonly window: number
  /** What it holds of another count. */
  readonly next: HeldPart | undefined

  constructor(count: Count, counter: Counter, index: number, window: number, next: HeldPart | undefined) {
    this.count = count
    this.counter = counter
    this.index = index
    this.window = window
    this.next = next
  }
}

/** A claim that holds something until it is settled, or its time is over. */
export interface OpenClaim {
  readonly id: string
  /** What it holds, one part after the other. A list of its own would be one more thing for each request. */
  held: HeldPart | undefined
  /** Whether its time is never over. */
  readonly endless: boolean
  ttlUs: number
  expiresAt: number
}

/**
 * Claims in the order in which their time is over: one queue for each length of time, so that no queue ever has to be
 * sorted. Gateways have one length of time.
 */
export class OpenClaims {
  readonly #byId = new Map<string, OpenClaim>()
  readonly #queues = new Map<number, Set<OpenClaim>>()
  /** Nothing is over before this. */
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

  /** Takes out the claims whose time is over, in the order in which it was. */
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

/** Throws `TypeError` for what is no whole number: what is not a number has room for everything. */
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

/** How many counts one search for idle ones looks at, which takes some 50 microseconds. The next search goes on behind them. */
const maxLookedAt = 1_000

/**
 * Counts by kind and key, of which so many are kept. Only an idle one is ever forgotten: a new count in its place does not
 * differ from it. So nobody gets back what was used by pushing a count out.
 */
export class CountTable {
  readonly #max: number
  readonly #rates = new Map<string, Count>()
  readonly #sums = new Map<string, Count>()
  readonly #leases = new Map<string, Count>()
  /** Goes over all counts, again and again. */
  readonly #round = this.#goRound()
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  /** How many more can be kept without forgetting any. */
  get free(): number {
    return this.#max - this.#size
  }

  find({ kind, key }: Counter): Count | undefined {
    return this.#of(kind).get(key)
  }

  /** Keeps a count of which something was taken. There has to be room for it. */
  keep(count: Count): void {
    if (count.kept) return
    count.kept = true
    this.#of(count.kind).set(count.key, count)
    this.#size++
  }

  /** Forgets idle counts until so many more can be kept, but none that is `asked`. */
  makeRoom(needed: number, asked: readonly Count[], moment: Moment): void {
    for (let looked = 0; this.free < needed && this.#size > 0 && looked < maxLookedAt; looked++) {
      const count = this.#round.next().value
      if (count.holders > 0 || !count.isIdle(moment) || asked.includes(count)) continue
      count.kept = false
      this.#of(count.kind).delete(count.key)
      this.#size--
    }
  }

  #of(kind: Counter['kind']): Map<string, Count> {
    if (kind === 'rate') return this.#rates
    return kind === 'sum' ? this.#sums : this.#leases
  }

  /** Is asked only where there are counts: it looks for the next one until it finds it. */
  *#goRound(): Generator<Count, never> {
    for (;;) {
      yield* this.#rates.values()
      yield* this.#sums.values()
      yield* this.#leases.values()
    }
  }
}

import type { CounterState, LeaseCounter, RateCounter, SumCounter } from '../contracts/limit-store.ts'
import type { BudgetWindow } from '../contracts/principal.ts'
import type { Moment } from '../stores/store-clock.ts'
import { type ClaimReservation, Count, maxCount, type OpenClaim } from './counter-table.ts'

/**
 * A rate as a theoretical arrival time, when all of it is free again, plus the reservations of claims, which do not
 * replenish with time. An arrival time in the past means the rate is free.
 */
export class RateCount extends Count {
  readonly kind = 'rate'
  #arrival = 0
  #reserved = 0

  load(_: RateCounter, { us }: Moment): void {
    if (this.#arrival < us) this.#arrival = us
  }

  isIdle({ us }: Moment): boolean {
    return this.#arrival <= us && this.#reserved === 0
  }

  isOver(counter: RateCounter, { us }: Moment): boolean {
    return this.#arrival + this.#reserved + cellCost(counter, counter.amount) > us + burstOf(counter)
  }

  take(counter: RateCounter): number {
    const cost = cellCost(counter, counter.amount)
    if (counter.floor === undefined) this.#charge(cost)
    else this.#reserved = Math.min(maxCount, this.#reserved + cost)
    return 0
  }

  settle(part: ClaimReservation, _: OpenClaim, charged: number, live: boolean): void {
    const counter = part.counter as RateCounter
    const cost = cellCost(counter, charged)
    if (live) {
      this.#reserved -= cellCost(counter, counter.amount)
      this.#charge(cost)
    } else {
      // The floor was charged at expiry: only usage beyond it is still to be charged.
      this.#charge(Math.max(0, cost - floorCost(counter)))
    }
  }

  expire({ counter }: ClaimReservation, { expiresAt }: OpenClaim): void {
    this.#reserved -= cellCost(counter as RateCounter, (counter as RateCounter).amount)
    if (this.#arrival < expiresAt) this.#arrival = expiresAt
    this.#charge(floorCost(counter as RateCounter))
  }

  state(counter: RateCounter, over: boolean, { us }: Moment): CounterState {
    const burst = burstOf(counter)
    const used = Math.max(0, this.#arrival - us) + this.#reserved
    return {
      over,
      remaining: cellsIn(counter, Math.max(0, burst - used)),
      resetMs: used / 1_000,
      waitMs: over ? waitMs(cellCost(counter, counter.amount), used, burst) : 0,
    }
  }

  #charge(cost: number): void {
    this.#arrival = Math.min(maxCount, this.#arrival + cost)
  }
}

function floorCost(counter: RateCounter): number {
  return cellCost(counter, counter.floor ?? counter.amount)
}

function waitMs(cost: number, used: number, burst: number): number {
  return cost > burst ? Number.POSITIVE_INFINITY : (used + cost - burst) / 1_000
}

/** A rate: at most `limit` in any `windowMs` milliseconds, all of which may arrive at once. */
export interface RateParameters {
  readonly limit: number
  readonly windowMs: number
}

/** Maximum cost of a claim, in microseconds: over seventy years. The sum of two is still a safe integer. */
const maxCost = 2 ** 51

/** Returns what an amount costs in a rate limit: exactly `ceil(amount * window / limit)` microseconds. */
export function cellCost({ limit, windowMs }: RateParameters, amount: number): number {
  const windowUs = windowMs * 1_000
  const product = amount * windowUs
  if (product <= Number.MAX_SAFE_INTEGER) return Math.min(Math.ceil(product / limit), maxCost)
  const divisor = BigInt(limit)
  const cost = (BigInt(amount) * BigInt(windowUs) + divisor - 1n) / divisor
  return Number(cost < maxCost ? cost : maxCost)
}

/**
 * Returns the burst capacity of a rate in microseconds: its window, plus the rounding of a full limit, which is less than
 * the cost of one. Without the rounding, 7 per minute would be 6.
 */
export function burstOf({ limit, windowMs }: RateParameters): number {
  const windowUs = windowMs * 1_000
  const one = Math.ceil(windowUs / limit)
  return windowUs + Math.min(one * limit - windowUs, one - 1)
}

/** Returns the amount that fits into free microseconds of a rate, rounded down exactly. */
export function cellsIn({ limit, windowMs }: RateParameters, freeUs: number): number {
  const windowUs = windowMs * 1_000
  const product = freeUs * limit
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / windowUs)
  return Number((BigInt(freeUs) * BigInt(limit)) / BigInt(windowUs))
}

/** A sum over a calendar window. A clock that is set back never reopens an earlier window. */
export class SumCount extends Count {
  readonly kind = 'sum'
  #sum = 0
  #window = Number.NEGATIVE_INFINITY
  /** The window of the last counter. */
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

  /** Returns the sum carried into a window: each window that has ended since absorbs up to the limit. */
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

  settle({ counter, window }: ClaimReservation, _: OpenClaim, charged: number, live: boolean): void {
    const { amount, floor } = counter as SumCounter
    const more = charged - (live ? amount : floor)
    if (more > 0 || window === this.#window) this.#sum = Math.min(maxCount, Math.max(0, this.#sum + more))
  }

  expire({ counter, window }: ClaimReservation, _: OpenClaim, atUs: number): void {
    const { amount, floor, window: span } = counter as SumCounter
    const before = window === this.#window && windowAt(span, atUs) <= window
    if (before) this.#sum = Math.max(0, this.#sum - amount + floor)
  }

  state(counter: SumCounter, over: boolean, { wallUs }: Moment): CounterState {
    const { limit, amount } = counter
    const resetMs = this.#sum === 0 ? 0 : this.#spanOf(counter, this.#sum, wallUs)
    let waitMs = 0
    if (over) {
      waitMs =
        amount > limit ? Number.POSITIVE_INFINITY : this.#spanOf(counter, this.#sum + amount - limit, wallUs)
    }
    return { over, remaining: Math.max(0, limit - this.#sum), resetMs, waitMs }
  }

  /** Returns the milliseconds until `needed` has been absorbed by as many windows as that takes. */
  #spanOf({ window, limit }: SumCounter, needed: number, wallUs: number): number {
    const start = windowStart(window, this.#window + Math.max(1, Math.ceil(needed / limit)))
    return start === Number.POSITIVE_INFINITY && window !== 'ever'
      ? maxCount / 1_000
      : (start - wallUs) / 1_000
  }
}

const hourUs = 3_600_000_000
const spans = { hour: hourUs, day: 24 * hourUs, week: 168 * hourUs } as const
/** The first Monday of 1970, which began on a Thursday. */
const mondayUs = 96 * hourUs

/** Returns the number of the UTC calendar window of a time, in microseconds since 1970. */
export function windowAt(window: BudgetWindow, atUs: number): number {
  if (window === 'ever') return 0
  if (window === 'month') {
    const date = new Date(Math.floor(atUs / 1_000))
    return date.getUTCFullYear() * 12 + date.getUTCMonth()
  }
  return Math.floor((atUs - (window === 'week' ? mondayUs : 0)) / spans[window])
}

/** Returns when a window begins, or `Infinity` if it never does or is beyond the range of a date. */
export function windowStart(window: BudgetWindow, index: number): number {
  if (window === 'ever') return Number.POSITIVE_INFINITY
  if (window === 'month') {
    const start = Date.UTC(Math.floor(index / 12), index % 12) * 1_000
    return Number.isNaN(start) ? Number.POSITIVE_INFINITY : start
  }
  return index * spans[window] + (window === 'week' ? mondayUs : 0)
}

/** Maximum leases to scan for the earliest expiry, which bounds the cost of a rejection. */
const maxScannedLeases = 1_000

/** The claims that have a lease. */
export class LeaseCount extends Count {
  readonly kind = 'lease'
  /** Claims that expire. */
  readonly #reserved = new Set<OpenClaim>()
  /** Number of claims that never expire. */
  #endless = 0

  load(): void {}

  isIdle(): boolean {
    return this.#reserved.size + this.#endless === 0
  }

  isOver({ limit }: LeaseCounter): boolean {
    return this.#reserved.size + this.#endless >= limit
  }

  take(_: LeaseCounter, claim: OpenClaim): number {
    if (claim.endless) this.#endless++
    else this.#reserved.add(claim)
    return 0
  }

  settle(_: ClaimReservation, claim: OpenClaim): void {
    if (claim.endless) this.#endless--
    else this.#reserved.delete(claim)
  }

  expire(_: ClaimReservation, claim: OpenClaim): void {
    this.#reserved.delete(claim)
  }

  state({ limit }: LeaseCounter, over: boolean, { us }: Moment): CounterState {
    let first = Number.POSITIVE_INFINITY
    let looked = 0
    if (over) {
      for (const { expiresAt } of this.#reserved) {
        first = Math.min(first, expiresAt)
        if (++looked === maxScannedLeases) break
      }
    }
    return {
      over,
      remaining: Math.max(0, limit - this.#reserved.size - this.#endless),
      resetMs: 0,
      waitMs: over ? Math.max(0, first - us) / 1_000 : 0,
    }
  }
}

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Counter, CounterState, RateCounter, SumCounter } from '../contracts/limit-store.ts'
import { type MemoryLimitStore, memoryLimitStore } from './memory-limit-store.ts'

/**
 * An oracle that keeps no sums and no times of arrival, but everything that ever happened, and works out each answer from
 * the beginning: a rate as a vessel with a hole, money as a list of spendings by day, leases as a list of their holders.
 */
interface Taken {
  readonly at: number
  readonly amount: number
}
interface Grant {
  readonly id: string
  readonly counters: readonly Counter[]
  readonly at: number
  endsAt: number
  state: 'open' | 'expired' | 'settled'
}

const minute = 60_000
const day = 86_400_000
const begin = Date.parse('2026-11-18T23:30:00Z')

const tokens: RateCounter = {
  kind: 'rate',
  key: 'tokens',
  limit: 1_000,
  dryRun: false,
  windowMs: minute,
  amount: 0,
  floor: 0,
}
const requests: RateCounter = {
  kind: 'rate',
  key: 'requests',
  limit: 7,
  dryRun: false,
  windowMs: minute,
  amount: 1,
}
const money: SumCounter = {
  kind: 'sum',
  key: 'money',
  limit: 500,
  dryRun: false,
  window: 'day',
  amount: 0,
  floor: 0,
}
const slots: Counter = { kind: 'lease', key: 'slots', limit: 3, dryRun: false }

class Oracle {
  now = begin
  readonly grants: Grant[] = []
  /** What was poured into each vessel, or spent, in order; negative where it was given back. */
  readonly moves = new Map<string, Taken[]>()

  /** What open claims hold of a rate stands beside the vessel: it does not flow off. */
  heldOf(key: string): number {
    return this.grants
      .filter(({ state }) => state === 'open')
      .flatMap(({ counters }) => counters)
      .reduce((sum, counter) => sum + (isHeldRate(counter) && counter.key === key ? counter.amount : 0), 0)
  }

  level({ key, limit, windowMs }: RateCounter): number {
    let level = 0
    let last = begin
    const drained = (until: number) => Math.max(0, level - ((until - last) * limit) / windowMs)
    for (const { at, amount } of this.moves.get(key) ?? []) {
      level = Math.max(0, drained(at) + amount)
      last = at
    }
    return drained(this.now) + this.heldOf(key)
  }

  spent({ key, limit }: SumCounter): number {
    let sum = 0
    let today = Math.floor(begin / day)
    const until = (next: number) => {
      for (; today < next && sum > 0; today++) sum = Math.max(0, sum - limit)
      today = next
    }
    for (const { at, amount } of this.moves.get(key) ?? []) {
      until(Math.floor(at / day))
      sum = Math.max(0, sum + amount)
    }
    until(Math.floor(this.now / day))
    return sum
  }

  holders(): number {
    return this.grants.filter(
      grant => grant.state === 'open' && grant.counters.some(({ kind }) => kind === 'lease'),
    ).length
  }

  move(key: string, at: number, amount: number): void {
    this.moves.set(key, [...(this.moves.get(key) ?? []), { at, amount }])
  }

  /** What is left of a count; of a rate with a fraction. Negative where more was charged than there was. */
  room(counter: Counter): number {
    if (counter.kind === 'rate') return counter.limit - this.level(counter)
    if (counter.kind === 'sum') return counter.limit - this.spent(counter)
    return counter.limit - this.holders()
  }

  left(counter: Counter): number {
    return Math.max(0, this.room(counter))
  }

  expire(): void {
    const over = this.grants.filter(({ state, endsAt }) => state === 'open' && endsAt <= this.now)
    for (const grant of over.sort((a, b) => a.endsAt - b.endsAt)) {
      grant.state = 'expired'
      for (const counter of grant.counters) {
        if (counter.kind === 'lease' || counter.floor === undefined) continue
        const by = counter.kind === 'rate' ? counter.floor : counter.floor - counter.amount
        this.correct(counter, grant, by, grant.endsAt)
      }
    }
  }

  settle(grant: Grant, charged: readonly number[]): void {
    if (grant.state === 'settled' || this.now > grant.endsAt + 3_600_000) return
    grant.counters.forEach((counter, index) => {
      if (counter.kind === 'lease' || counter.floor === undefined) return
      const amount = charged[index] ?? 0
      if (counter.kind === 'sum') {
        const before = grant.state === 'open' ? counter.amount : counter.floor
        this.correct(counter, grant, amount - before, this.now)
      } else {
        // What was charged at the end of its time has flowed off since.
        this.correct(
          counter,
          grant,
          Math.max(0, grant.state === 'open' ? amount : amount - counter.floor),
          this.now,
        )
      }
    })
    grant.state = 'settled'
  }

  /** Money is given back on the day on which it was taken only. */
  correct(counter: RateCounter | SumCounter, grant: Grant, by: number, at: number): void {
    const sameDay = Math.floor(at / day) === Math.floor(grant.at / day)
    if (counter.kind === 'rate' || by > 0 || sameDay) this.move(counter.key, at, by)
  }
}

function isHeldRate(counter: Counter): counter is RateCounter {
  return counter.kind === 'rate' && counter.floor !== undefined
}

/** What may differ by the rounding of microseconds, in units of a rate. */
const near = 0.01

class Admit implements fc.Command<Oracle, MemoryLimitStore> {
  readonly #counters: readonly Counter[]
  readonly #ttlMs: number

  constructor(counters: readonly Counter[], ttlMs: number) {
    this.#counters = counters
    this.#ttlMs = ttlMs
  }

  check(): boolean {
    return true
  }

  run(oracle: Oracle, store: MemoryLimitStore): void {
    oracle.expire()
    const id = String(oracle.grants.length).padStart(32, '0')
    const counters = this.#counters
    const rooms = counters.map(counter => oracle.room(counter))
    const verdict = store.admit({ id, ttlMs: this.#ttlMs, counters })
    counters.forEach((counter, index) => {
      const amount = counter.kind === 'lease' ? 1 : counter.amount
      const room = (rooms[index] ?? 0) - amount
      const tolerance = counter.kind === 'rate' ? near : 0
      if (Math.abs(room) > tolerance || tolerance === 0) expect(verdict.counters[index]?.over).toBe(room < 0)
    })
    expect(verdict.allowed).toBe(verdict.counters.every(({ over }) => !over))
    if (verdict.allowed) {
      const endsAt = oracle.now + this.#ttlMs
      oracle.grants.push({ id, counters, at: oracle.now, endsAt, state: 'open' })
      for (const counter of counters) {
        if (counter.kind !== 'lease' && !isHeldRate(counter)) {
          oracle.move(counter.key, oracle.now, counter.amount)
        }
      }
    }
    counters.forEach((counter, index) => {
      this.#expectStanding(counter, verdict.counters[index], oracle)
    })
  }

  #expectStanding(counter: Counter, state: CounterState | undefined, oracle: Oracle): void {
    const left = oracle.left(counter)
    expect(state?.remaining).toBeGreaterThanOrEqual(Math.floor(left - near))
    expect(state?.remaining).toBeLessThanOrEqual(left + near)
    if (counter.kind === 'rate') {
      const resetMs = (oracle.level(counter) * counter.windowMs) / counter.limit
      expect(Math.abs((state?.resetMs ?? 0) - resetMs)).toBeLessThan(0.5)
    }
  }

  toString(): string {
    return `admit(${this.#counters.map(counter => `${counter.key} ${counter.kind === 'lease' ? 1 : counter.amount}`).join(', ')}; ${this.#ttlMs})`
  }
}

class Settle implements fc.Command<Oracle, MemoryLimitStore> {
  readonly #which: number
  readonly #charged: readonly number[]

  constructor(which: number, charged: readonly number[]) {
    this.#which = which
    this.#charged = charged
  }

  check({ grants }: Readonly<Oracle>): boolean {
    return grants.length > 0
  }

  run(oracle: Oracle, store: MemoryLimitStore): void {
    oracle.expire()
    const grant = oracle.grants[this.#which % oracle.grants.length]
    if (grant === undefined) return
    const charged = grant.counters.map((_, index) => this.#charged[index] ?? 0)
    oracle.settle(grant, charged)
    store.settle({ id: grant.id, counters: grant.counters, charged })
  }

  toString(): string {
    return `settle(${this.#which}: ${this.#charged.join(', ')})`
  }
}

class Renew implements fc.Command<Oracle, MemoryLimitStore> {
  readonly #ttlMs: number

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs
  }

  check(): boolean {
    return true
  }

  run(oracle: Oracle, store: MemoryLimitStore): void {
    oracle.expire()
    for (const grant of oracle.grants) if (grant.state === 'open') grant.endsAt = oracle.now + this.#ttlMs
    store.renew(oracle.grants, this.#ttlMs)
  }

  toString(): string {
    return `renew(${this.#ttlMs})`
  }
}

class Wait implements fc.Command<Oracle, MemoryLimitStore> {
  readonly #ms: number

  constructor(ms: number) {
    this.#ms = ms
  }

  check(): boolean {
    return true
  }

  run(oracle: Oracle): void {
    oracle.now += this.#ms
  }

  toString(): string {
    return `wait(${this.#ms})`
  }
}

const held = (most: number) =>
  fc.tuple(fc.nat(most), fc.nat(100)).map(([amount, part]) => {
    return { amount, floor: Math.floor((amount * part) / 100) }
  })
const counters = fc
  .tuple(held(600), held(250), fc.subarray(['requests', 'tokens', 'money', 'slots'], { minLength: 1 }))
  .map(([tokenAmounts, moneyAmounts, names]) =>
    [requests, { ...tokens, ...tokenAmounts }, { ...money, ...moneyAmounts }, slots].filter(({ key }) =>
      names.includes(key),
    ),
  )
const ttlMs = fc.constantFrom(1_000, 30_000, 5 * minute)
const admits = fc.tuple(counters, ttlMs).map(([asked, ttl]) => new Admit(asked, ttl))
const settles = fc
  .tuple(fc.nat(50), fc.array(fc.nat(900), { minLength: 4, maxLength: 4 }))
  .map(([which, charged]) => new Settle(which, charged))
const waits = fc
  .oneof(
    { weight: 3, arbitrary: fc.nat(5_000) },
    { weight: 1, arbitrary: fc.constantFrom(minute, 20 * minute, day, 3 * day) },
  )
  .map(ms => new Wait(ms))

it('does what an oracle works out from all that happened, and holds nothing at rest', () => {
  fc.assert(
    fc.property(
      fc.commands([admits, admits, settles, waits, ttlMs.map(ttl => new Renew(ttl))], { maxCommands: 60 }),
      commands => {
        const oracle = new Oracle()
        const store = memoryLimitStore({ now: () => oracle.now })
        fc.modelRun(() => ({ model: oracle, real: store }), commands)
        oracle.expire()
        expect(store.held).toBe(oracle.grants.filter(isHeld).length)
        for (const { id, counters: of } of oracle.grants) {
          store.settle({ id, counters: of, charged: of.map(() => 0) })
        }
        expect(store.held).toBe(0)
      },
    ),
    { numRuns: 150 },
  )
})

function isHeld({ state, counters: of }: Grant): boolean {
  return state === 'open' && of.some(counter => counter.kind !== 'rate' || counter.floor !== undefined)
}

import { limitStoreConformance } from '@sluice/testing/conformance'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Counter, LeaseCounter, RateCounter, SumCounter } from '../contracts/limit-store.ts'
import { memoryLimitStore } from './memory-limit-store.ts'

const noon = Date.parse('2026-11-18T12:00:00Z')
const hour = 3_600_000
const rate = (given: Partial<RateCounter> = {}): RateCounter => {
  return { kind: 'rate', key: 'r', limit: 60, dryRun: false, windowMs: 60_000, amount: 1, ...given }
}
const sum = (given: Partial<SumCounter> = {}): SumCounter => {
  return { kind: 'sum', key: 's', limit: 100, dryRun: false, window: 'day', amount: 10, floor: 0, ...given }
}
const lease = (given: Partial<LeaseCounter> = {}): LeaseCounter => {
  return { kind: 'lease', key: 'l', limit: 1, dryRun: false, ...given }
}

/** A store by a clock that is set by hand, and short ways to ask it. */
function store(maxKeys?: number) {
  const clock = { now: noon }
  const counts = memoryLimitStore({ now: () => clock.now, ...(maxKeys === undefined ? {} : { maxKeys }) })
  let ids = 0
  const ask = (counters: readonly Counter[], ttlMs = 30_000) => {
    const id = String(ids++).padStart(32, '0')
    const settle = (...charged: number[]) =>
      counts.settle({ id, counters, charged: counters.map((_, index) => charged[index] ?? 0) })
    return { id, verdict: counts.admit({ id, ttlMs, counters }), settle }
  }
  const left = (counter: Counter) => {
    const none = {
      ...counter,
      dryRun: true,
      amount: 0,
      ...(counter.kind === 'lease' ? {} : { floor: 0 }),
    } as Counter
    const { verdict, settle } = ask([none])
    settle(0)
    return verdict.counters[0]?.remaining
  }
  return { counts, clock, ask, left }
}

describe('memoryStore', () => {
  for (const { name, run } of limitStoreConformance) {
    it(name, () => run(({ now }) => memoryLimitStore(now === undefined ? {} : { now })))
  }

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 10_000_001, '5', null])(
    'refuses maxKeys of %s',
    maxKeys => {
      expect(() => memoryLimitStore({ maxKeys: maxKeys as never })).toThrow(
        /maxKeys: got .*, expected a whole number/,
      )
    },
  )

  it('refuses a clock that is none', () => {
    expect(() => memoryLimitStore({ now: 5 as never })).toThrow(TypeError)
  })

  it.each<[Counter]>([
    [rate({ amount: Number.NaN })],
    [rate({ amount: -1 })],
    [rate({ amount: 0.5 })],
    [rate({ limit: 0 })],
    [rate({ windowMs: 0 })],
    [rate({ amount: 1, floor: 2 })],
    [sum({ amount: Number.POSITIVE_INFINITY })],
    [sum({ floor: -1 })],
    [lease({ limit: Number.NaN })],
  ])('throws for amounts that make no sense, and takes nothing: %j', counter => {
    const { counts, ask } = store()
    expect(() => ask([lease({ key: 'other' }), counter])).toThrow(TypeError)
    expect(counts.held).toBe(0)
    expect(ask([lease({ key: 'other' })]).verdict.allowed).toBe(true)
  })

  it('throws where a settlement has too few charges, and settles nothing', () => {
    const { counts, ask, left } = store()
    const counters = [sum()]
    const { id } = ask(counters)
    expect(() => counts.settle({ id, counters, charged: [] })).toThrow(TypeError)
    expect(left(sum())).toBe(90)
    counts.settle({ id, counters, charged: [0] })
    expect(left(sum())).toBe(100)
  })

  it('holds nothing at rest', () => {
    const { counts, ask } = store()
    const asked = [ask([sum(), lease(), rate()]), ask([rate({ floor: 0 })]), ask([rate()])]
    expect(counts.held).toBe(2)
    for (const { settle } of asked) settle()
    expect(counts.held).toBe(0)
  })

  it('holds nothing of what was refused, of a shadow without room, or when its time is over', () => {
    const { counts, clock, ask } = store()
    ask([lease()])
    expect(ask([sum(), lease()]).verdict.allowed).toBe(false)
    expect(ask([lease({ dryRun: true })]).verdict.allowed).toBe(true)
    expect(counts.held).toBe(1)
    clock.now += 30_000
    expect(counts.held).toBe(0)
  })

  it('ends claims of different times in the order in which their times are over', () => {
    const { ask, left, clock } = store()
    ask([rate({ amount: 30, floor: 30 })], 30_000)
    ask([rate({ amount: 30, floor: 30 })], 1_000)
    clock.now += 31_000
    expect(left(rate())).toBe(30)
  })
})

describe('memoryStore with more counts than it may keep', () => {
  const full = { allowed: false, full: true }
  const fill = (ask: ReturnType<typeof store>['ask'], of = 20) => {
    for (let count = 0; count < of; count++) ask([rate({ key: `other ${count}` })])
  }

  it('refuses who needs another one, and takes nothing of the others', () => {
    const { ask, left } = store(2)
    ask([rate({ key: 'a', amount: 5 })])
    ask([sum({ floor: 10 })]).settle(10)
    const { verdict } = ask([rate({ key: 'a' }), sum({ key: 'b' }), lease()])
    expect(verdict).toMatchObject(full)
    expect(verdict.counters.map(({ over }) => over)).toEqual([false, false, false])
    expect(left(rate({ key: 'a' }))).toBe(55)
    expect(left(sum())).toBe(90)
  })

  it('forgets a rate that is free again, and not before', () => {
    const { ask, clock, left } = store(1)
    ask([rate({ key: 'a', amount: 5 })])
    clock.now += 4_999
    expect(ask([rate({ key: 'b' })]).verdict).toMatchObject(full)
    clock.now += 1
    expect(ask([rate({ key: 'b' })]).verdict.allowed).toBe(true)
    expect(left(rate({ key: 'b' }))).toBe(59)
  })

  it('forgets a sum whose window has ended and left no debt, and not before', () => {
    const { ask, clock, left } = store(1)
    ask([sum({ amount: 50 })]).settle(130)
    fill(ask, 2_600)
    clock.now += 11 * hour
    fill(ask)
    expect(left(sum())).toBe(0)
    clock.now += 12 * hour
    fill(ask)
    expect(left(sum())).toBe(70)
    clock.now += 24 * hour
    expect(ask([rate({ key: 'b' })]).verdict.allowed).toBe(true)
  })

  it('forgets a sum that is never renewed only where nothing of it is spent', () => {
    const { ask, clock } = store(1)
    const ever = sum({ window: 'ever' })
    const first = ask([ever])
    expect(ask([rate()]).verdict).toMatchObject(full)
    first.settle(0)
    expect(ask([rate({ amount: 1 })]).verdict.allowed).toBe(true)
    clock.now += 1_000
    ask([ever]).settle(1)
    clock.now += 9_000 * 24 * hour
    expect(ask([rate()]).verdict).toMatchObject(full)
  })

  it('forgets none of which something is held: a lease is not given twice', () => {
    const { counts, ask } = store(1)
    const first = ask([lease()])
    fill(ask)
    expect(ask([lease()]).verdict).toEqual({
      allowed: false,
      counters: [expect.objectContaining({ over: true })],
    })
    first.settle()
    expect(counts.held).toBe(0)
    expect(ask([rate()]).verdict.allowed).toBe(true)
  })

  it('forgets none whose claim may still be settled, for an hour', () => {
    const { clock, ask, left } = store(1)
    const late = ask([sum({ floor: 0 })])
    clock.now += 60_000
    expect(ask([rate()]).verdict).toMatchObject(full)
    late.settle(7)
    expect(left(sum())).toBe(93)
    const never = ask([sum({ key: 's', amount: 1 })])
    expect(never.verdict.allowed).toBe(true)
    clock.now += 12 * hour
    clock.now += 30_000 + hour + 1
    expect(ask([rate()]).verdict.allowed).toBe(true)
  })

  it('forgets a lease that has expired, since nothing is charged for it', () => {
    const { clock, ask } = store(1)
    ask([lease()])
    clock.now += 30_000
    expect(ask([rate()]).verdict.allowed).toBe(true)
  })

  it('charges late settlements of 20,000 claims that expired together, among as many leases', () => {
    const { clock, ask, left } = store()
    const budget = sum({ limit: 1_000_000 })
    const late = Array.from({ length: 20_000 }, (_, index) => {
      const claim = ask([budget])
      ask([lease({ key: `l ${index}` })])
      return claim
    })
    clock.now += 60_000
    expect(left(budget)).toBe(1_000_000)
    for (const claim of late) claim.settle(7)
    expect(left(budget)).toBe(1_000_000 - 20_000 * 7)
  })

  it('lets in whom a shadow has no place for, and does not count it there', () => {
    const { counts, ask, left } = store(1)
    const asked = ask([rate({ key: 'a', dryRun: true }), sum()])
    expect(asked.verdict).toMatchObject({ allowed: true })
    expect(ask([rate({ key: 'b', dryRun: true })]).verdict.allowed).toBe(true)
    asked.settle(0, 4)
    expect(counts.held).toBe(0)
    expect(left(sum())).toBe(96)
  })

  it('is filled by no refusal', () => {
    const { ask, left } = store(3)
    ask([lease()])
    ask([rate({ key: 'a', amount: 5 })])
    for (let count = 0; count < 20; count++) ask([rate({ key: `other ${count}` }), lease()])
    expect(left(rate({ key: 'a' }))).toBe(55)
    expect(ask([rate({ key: 'b' })]).verdict.allowed).toBe(true)
  })

  it('says of all that it lets in what a store without a bound says', () => {
    const counter = fc.oneof(
      fc.record({ of: fc.constant('rate'), key: fc.nat(5), amount: fc.nat(30), held: fc.boolean() }),
      fc.record({ of: fc.constant('sum'), key: fc.nat(5), amount: fc.nat(60), held: fc.constant(true) }),
      fc.record({
        of: fc.constant('lease'),
        key: fc.nat(2),
        amount: fc.constant(1),
        held: fc.constant(true),
      }),
    )
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          ask: fc.uniqueArray(counter, { maxLength: 3, selector: at => `${at.of}${at.key}` }),
        }),
      },
      { weight: 4, arbitrary: fc.record({ settle: fc.nat(), charged: fc.nat(90) }) },
      {
        weight: 2,
        arbitrary: fc.record({ wait: fc.constantFrom(500, 20_000, 40_000, 2 * hour, 30 * hour) }),
      },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), (maxKeys, steps) => {
        const bounded = store(maxKeys)
        const unbounded = store()
        const open: ((charged: number) => void)[] = []
        for (const at of steps) {
          if ('wait' in at) {
            bounded.clock.now += at.wait
            unbounded.clock.now += at.wait
          } else if ('settle' in at) {
            open.splice(at.settle % Math.max(1, open.length), 1)[0]?.(at.charged)
          } else {
            const counters = at.ask.map(({ of, key, amount, held }): Counter => {
              if (of === 'lease') return lease({ key: `${key}`, limit: 2 })
              if (of === 'sum') return sum({ key: `${key}`, amount, floor: 0 })
              return rate({ key: `${key}`, amount, ...(held && { floor: 0 }) })
            })
            const claimed = bounded.ask(counters)
            if (claimed.verdict.full === true) continue
            const same = unbounded.ask(counters)
            expect(claimed.verdict).toEqual(same.verdict)
            open.push(charged => {
              claimed.settle(...counters.map(() => charged))
              same.settle(...counters.map(() => charged))
            })
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('F67 memoryStore by a clock that is set', () => {
  it('hands out nothing twice when it is set back, and stands still for nobody', () => {
    const { clock, ask } = store()
    expect(ask([rate({ amount: 60 })]).verdict.allowed).toBe(true)
    clock.now -= hour
    expect(ask([rate()]).verdict.allowed).toBe(false)
    clock.now += 1_000
    expect(ask([rate()]).verdict.allowed).toBe(true)
    expect(ask([rate()]).verdict.allowed).toBe(false)
  })

  it('opens no earlier window of the calendar again', () => {
    const { clock, ask, left } = store()
    ask([sum({ amount: 100, floor: 100 })])
    clock.now += 12 * hour
    ask([sum({ amount: 60, floor: 60 })])
    clock.now -= hour
    expect(left(sum())).toBe(40)
    clock.now += hour
    expect(left(sum())).toBe(40)
    clock.now += 24 * hour
    expect(left(sum())).toBe(100)
  })

  it('ends no lease early or late', () => {
    const { clock, ask } = store()
    ask([lease()])
    clock.now -= hour
    ask([])
    clock.now += 29_999
    expect(ask([lease()]).verdict.allowed).toBe(false)
    clock.now += 1
    expect(ask([lease()]).verdict.allowed).toBe(true)
  })
})

describe('F68 memoryStore around the edge of a window', () => {
  it('never lets in twice the limit within a window, whenever it begins', () => {
    for (const offset of [0, 100, 59_900, 59_999]) {
      const { clock, ask } = store()
      clock.now += offset
      const times: number[] = []
      for (let step = 0; step < 4_000; step++, clock.now += 50) {
        if (ask([rate({ limit: 10 })]).verdict.allowed) times.push(clock.now)
      }
      for (const from of times) {
        expect(times.filter(at => at >= from && at < from + 60_000).length).toBeLessThan(20)
        expect(times.filter(at => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(10)
      }
      expect(times.length).toBe(10 + Math.floor(199_950 / 6_000))
    }
  })
})

describe('F70 memoryStore where more is used than was reserved', () => {
  it('lets a debt of tokens block until it has flowed back, once', () => {
    const { clock, ask, left } = store()
    const tokens = rate({ key: 't', amount: 30, floor: 5 })
    ask([tokens]).settle(90)
    expect(left(tokens)).toBe(0)
    const refused = ask([rate({ key: 't' })]).verdict.counters[0]
    expect(refused).toMatchObject({ over: true, remaining: 0, waitMs: 31_000, resetMs: 90_000 })
    clock.now += 31_000
    expect(ask([rate({ key: 't' })]).verdict.allowed).toBe(true)
    clock.now += 60_000
    expect(left(tokens)).toBe(60)
  })

  it('carries a debt of money into the next window, once', () => {
    const { clock, ask, left } = store()
    ask([sum({ amount: 50 })]).settle(130)
    expect(ask([sum({ amount: 1 })]).verdict.counters[0]).toMatchObject({ over: true, waitMs: 12 * hour })
    clock.now += 12 * hour
    expect(left(sum())).toBe(70)
    clock.now += 24 * hour
    expect(left(sum())).toBe(100)
  })
})

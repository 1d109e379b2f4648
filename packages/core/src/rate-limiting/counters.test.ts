import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BudgetWindow } from '../contracts/principal.ts'
import { burstOf, cellCost, cellsIn, windowAt, windowStart } from './counters.ts'

const rates = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 1_000_000_000 })),
  windowMs: fc.constantFrom(1_000, 60_000, 3_600_000, 86_400_000),
})

describe('cellCost', () => {
  it.each([
    [60, 60_000, 1, 1_000_000],
    [7, 60_000, 1, 8_571_429],
    [90_000, 60_000, 4_500, 3_000_000],
    [1_000_000_000, 1_000, 1, 1],
    [60, 60_000, 0, 0],
  ])('of a limit of %i in %i ms: %i cost %i us', (limit, windowMs, amount, cost) => {
    expect(cellCost({ limit, windowMs }, amount)).toBe(cost)
  })

  it('is exact where doubles are not, and never more than seventy years', () => {
    fc.assert(
      fc.property(rates, fc.maxSafeNat(), (rate, amount) => {
        const exact =
          (BigInt(amount) * BigInt(rate.windowMs) * 1_000n + BigInt(rate.limit) - 1n) / BigInt(rate.limit)
        expect(BigInt(cellCost(rate, amount))).toBe(exact < 2n ** 51n ? exact : 2n ** 51n)
      }),
    )
  })

  it('fits the limit into the burst, one by one or at once, and one more never', () => {
    fc.assert(
      fc.property(
        rates.filter(({ limit }) => limit <= 700),
        rate => {
          const one = cellCost(rate, 1)
          expect(rate.limit * one).toBeLessThanOrEqual(burstOf(rate))
          expect((rate.limit + 1) * one).toBeGreaterThan(burstOf(rate))
          expect(cellCost(rate, rate.limit)).toBeLessThanOrEqual(burstOf(rate))
          expect(cellCost(rate, rate.limit + 1)).toBeGreaterThan(burstOf(rate))
        },
      ),
    )
  })
})

describe('cellsIn', () => {
  it('tells all of the limit where all is free, and of a part what it pays for', () => {
    fc.assert(
      fc.property(rates, fc.double({ min: 0, max: 1, noNaN: true }), (rate, part) => {
        expect(cellsIn(rate, burstOf(rate))).toBe(rate.limit)
        const amount = Math.floor(rate.limit * part)
        expect(cellsIn(rate, cellCost(rate, amount))).toBeGreaterThanOrEqual(amount)
        expect(cellsIn(rate, Math.max(0, cellCost(rate, amount) - 1))).toBeLessThanOrEqual(amount)
      }),
    )
  })
})

const us = (date: string) => Date.parse(date) * 1_000
const startOf = (window: BudgetWindow, date: string) =>
  new Date(windowStart(window, windowAt(window, us(date))) / 1_000).toISOString()

describe('the calendar', () => {
  it.each([
    ['hour', '2026-11-21T07:59:59.999Z', '2026-11-21T07:00:00.000Z'],
    ['day', '2026-11-21T23:59:59.999Z', '2026-11-21T00:00:00.000Z'],
    // A Saturday, a Sunday and a Monday.
    ['week', '2026-11-21T07:00:00Z', '2026-11-16T00:00:00.000Z'],
    ['week', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00.000Z'],
    ['week', '2026-11-23T00:00:00Z', '2026-11-23T00:00:00.000Z'],
    ['month', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z'],
  ] as const)('the %s of %s begins at %s', (window, date, start) => {
    expect(startOf(window, date)).toBe(start)
  })

  it('has a window for each moment, and no moment in two', () => {
    const windows = fc.constantFrom<BudgetWindow>('hour', 'day', 'week', 'month')
    fc.assert(
      fc.property(windows, fc.integer({ min: 0, max: us('2200-01-01') / 1_000 }), (window, ms) => {
        const index = windowAt(window, ms * 1_000)
        const next = windowStart(window, index + 1)
        expect(windowStart(window, index)).toBeLessThanOrEqual(ms * 1_000)
        expect(next).toBeGreaterThan(ms * 1_000)
        expect(windowAt(window, next)).toBe(index + 1)
        expect(windowAt(window, next - 1)).toBe(index)
      }),
    )
  })

  it('never ends for ever', () => {
    expect(windowAt('ever', us('2026-11-21'))).toBe(windowAt('ever', 0))
    expect(windowStart('ever', 1)).toBe(Number.POSITIVE_INFINITY)
    expect(windowStart('month', 1e15)).toBe(Number.POSITIVE_INFINITY)
  })
})

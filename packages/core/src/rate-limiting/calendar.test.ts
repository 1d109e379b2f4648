import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BudgetWindow } from '../contracts/principal.ts'

import { windowAt, windowStart } from './calendar.ts'

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

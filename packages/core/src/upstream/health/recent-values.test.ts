import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PeakAverage, RecentCount } from './recent-values.ts'

describe('RecentCount', () => {
  it('counts what a list of all times would, to a tenth of the span', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000 }),
        fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { maxLength: 200 }),
        (spanMs, gaps) => {
          const count = new RecentCount()
          const ticks: number[] = []
          let now = 0
          for (const gap of gaps) {
            now += gap
            count.add(now, spanMs)
            const tick = Math.floor((now * 10) / spanMs)
            ticks.push(tick)
            expect(count.within(spanMs, now)).toBe(ticks.filter(past => past > tick - 10).length)
          }
        },
      ),
    )
  })

  it('begins anew with another span, and when it is cleared', () => {
    const count = new RecentCount()
    count.add(5, 100)
    expect(count.within(100, 5)).toBe(1)
    expect(count.within(200, 5)).toBe(0)
    count.add(5, 200)
    count.clear()
    expect(count.within(200, 6)).toBe(0)
  })

  it('loses nothing where a clock goes back', () => {
    const count = new RecentCount()
    count.add(1_000, 100)
    count.add(5, 100)
    expect(count.within(100, 1_000)).toBe(2)
  })
})

describe('PeakAverage', () => {
  it('knows nothing before anything was measured', () => {
    expect(new PeakAverage().value(5)).toBeUndefined()
  })

  it('rises at once and falls slowly', () => {
    const average = new PeakAverage()
    average.add(100, 0)
    average.add(2_000, 0)
    expect(average.value(0)).toBe(2_000)
    average.add(100, 0)
    expect(average.value(0)).toBe(2_000)
    average.add(100, 10_000)
    expect(average.value(10_000)).toBeCloseTo(100 + 1_900 / Math.E, 6)
  })

  it('falls while nothing is measured, so that what was slow is tried again', () => {
    const average = new PeakAverage()
    average.add(1_000, 0)
    expect(average.value(10_000)).toBeCloseTo(1_000 / Math.E, 6)
    expect(average.value(60_000)).toBeLessThan(3)
  })

  it('knows nothing any more after a minute, rather than that it takes no time', () => {
    const average = new PeakAverage()
    average.add(1_000, 0)
    expect(average.value(60_001)).toBeUndefined()
    average.add(10, 60_001)
    expect(average.value(60_001)).toBe(10)
  })

  it('is never above the largest and, at a measurement, never below it', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.double({ min: 0, max: 1e6, noNaN: true }),
            fc.double({ min: -10, max: 1e5, noNaN: true }),
          ),
        ),
        measured => {
          const average = new PeakAverage()
          let now = 0
          let largest = 0
          for (const [ms, gap] of measured) {
            now += gap
            average.add(ms, now)
            largest = Math.max(largest, ms)
            const value = average.value(now)!
            expect(value).toBeGreaterThanOrEqual(ms - 1e-6)
            expect(value).toBeLessThanOrEqual(largest + 1e-6)
          }
        },
      ),
    )
  })
})

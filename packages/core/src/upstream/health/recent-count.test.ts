import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecentCount } from './recent-count.ts'

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

import { describe, expect, it } from 'vitest'
import { storeClock } from './store-clock.ts'

describe('storeClock', () => {
  it('goes by the given clock, in whole microseconds', () => {
    let now = 1_000.0004
    const clock = storeClock(() => now)
    expect(clock()).toEqual({ us: 1_000_000, wallUs: 1_000_000 })
    now += 1.5
    expect(clock()).toEqual({ us: 1_001_500, wallUs: 1_001_500 })
  })

  it('F67 never goes back, and goes on after a step back', () => {
    let now = 7_200_000
    const clock = storeClock(() => now)
    const before = clock().us
    now -= 3_600_000
    expect(clock()).toEqual({ us: before, wallUs: 3_600_000_000 })
    now += 250
    expect(clock()).toEqual({ us: before + 250_000, wallUs: 3_600_250_000 })
  })

  it('stands still where the given clock gives no number', () => {
    let now = 5
    const clock = storeClock(() => now)
    clock()
    now = Number.NaN
    expect(clock()).toEqual({ us: 5_000, wallUs: 5_000 })
    now = 6
    expect(clock().us).toBe(6_000)
  })

  it('stands still where the given clock throws', () => {
    let broken = false
    const clock = storeClock(() => {
      if (broken) throw new Error('no time')
      return 5
    })
    const before = clock()
    broken = true
    expect(clock()).toEqual(before)
  })

  it('has the time of day, and a clock that nobody sets, where none is given', () => {
    const clock = storeClock()
    const first = clock()
    expect(Math.abs(first.wallUs / 1_000 - Date.now())).toBeLessThan(1_000)
    expect(Number.isSafeInteger(first.us) && Number.isSafeInteger(first.wallUs)).toBe(true)
    expect(clock().us).toBeGreaterThanOrEqual(first.us)
  })
})

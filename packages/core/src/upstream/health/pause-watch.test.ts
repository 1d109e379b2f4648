import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PauseWatch } from './pause-watch.ts'

/** Time that passes while timers run, and time in which they do not. */
let now = 0
const pass = (ms: number) => {
  for (let left = ms; left > 0; left -= 100) {
    now += Math.min(left, 100)
    vi.advanceTimersByTime(Math.min(left, 100))
  }
}
const stall = (ms: number) => {
  now += ms
}

beforeEach(() => {
  vi.useFakeTimers()
  now = 0
})
afterEach(() => {
  vi.useRealTimers()
})

describe('PauseWatch', () => {
  it('says nothing of long calls while time passes as it should', () => {
    const watch = new PauseWatch(() => now)
    watch.began(now)
    pass(600_000)
    expect(watch.ended(0, now)).toBe(false)
  })

  it('knows a pause before its timer does, and after', () => {
    const watch = new PauseWatch(() => now)
    const before = now
    watch.began(before)
    watch.began(before)
    stall(30_000)
    expect(watch.ended(before, now)).toBe(true)
    pass(5_000)
    const after = now
    watch.began(after)
    expect(watch.ended(before, now)).toBe(true)
    expect(watch.ended(after, now)).toBe(false)
  })

  it('takes no notice of a second in which much was done', () => {
    const watch = new PauseWatch(() => now)
    watch.began(now)
    pass(900)
    stall(1_500)
    expect(watch.ended(0, now)).toBe(false)
  })

  it('excuses calls that were under way only', () => {
    const watch = new PauseWatch(() => now)
    watch.began(now)
    stall(10_000)
    const next = now
    watch.began(next)
    expect(watch.ended(next, now)).toBe(false)
    expect(watch.ended(0, now)).toBe(true)
  })

  it('has no timer while no call is under way', () => {
    const watch = new PauseWatch(() => now)
    expect(vi.getTimerCount()).toBe(0)
    watch.began(now)
    expect(vi.getTimerCount()).toBe(1)
    watch.ended(now, now)
    pass(1_000)
    expect(vi.getTimerCount()).toBe(0)
    // Nor takes the time between for a pause.
    stall(100_000)
    const later = now
    watch.began(later)
    stall(1_000)
    expect(watch.ended(later, now)).toBe(false)
  })

  it('goes on where its timer was lost', () => {
    const watch = new PauseWatch(() => now)
    watch.began(now)
    vi.clearAllTimers()
    stall(60_000)
    const later = now
    watch.began(later)
    pass(500)
    expect(watch.ended(later, now)).toBe(false)
    expect(vi.getTimerCount()).toBe(1)
  })
})

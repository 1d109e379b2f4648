import { afterEach, describe, expect, it, vi } from 'vitest'
import { stallMs, systemClock } from './clock.ts'

afterEach(() => vi.useRealTimers())

const { monotonic, setTimer } = systemClock

/** Keeps the process busy until a timer of 5 ms is so late that its process stood still. */
function standStill() {
  const until = monotonic() + 5 + stallMs + 20
  while (monotonic() < until);
}

describe('systemClock', () => {
  it('knows the date, and a time that goes on', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000)
    const before = monotonic()
    expect(monotonic()).toBeGreaterThanOrEqual(before)
  })

  it('runs a timer when its time is over, once, and not before', () => {
    vi.useFakeTimers()
    const run = vi.fn()
    setTimer(100, run)
    vi.advanceTimersByTime(99)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not run a timer that was cancelled', () => {
    vi.useFakeTimers()
    const run = vi.fn()
    const timer = setTimer(100, run)
    timer.cancel()
    vi.advanceTimersByTime(1_000)
    timer.cancel()
    expect(run).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('handles what arrived while the process stood still before it runs a timer', async () => {
    const happened: string[] = []
    await new Promise<void>(resolve => {
      setTimer(5, () => {
        happened.push('timer')
        resolve()
      })
      standStill()
      setTimeout(() => happened.push('arrived'), 1)
    })
    expect(happened).toEqual(['arrived', 'timer'])
  })

  it('can cancel a timer after the process stood still', async () => {
    const run = vi.fn()
    const timer = setTimer(5, run)
    // One of the same time that is not cancelled: when it runs, the other would have.
    const other = new Promise<void>(resolve => setTimer(5, resolve))
    standStill()
    await new Promise(resolve => setTimeout(resolve, 1))
    timer.cancel()
    await other
    expect(run).not.toHaveBeenCalled()
  })

  it('lets the process end before a timer that was unreferenced', async () => {
    const unref = vi.fn()
    vi.stubGlobal('setTimeout', () => ({ unref }))
    setTimer(5, () => {})
    expect(unref).not.toHaveBeenCalled()
    const timer = setTimer(5, () => {})
    expect(timer.unref()).toBe(timer)
    expect(unref).toHaveBeenCalledTimes(1)
    // Elsewhere a timer is a number, and holds nothing.
    vi.stubGlobal('setTimeout', () => 1)
    expect(() => setTimer(5, () => {}).unref()).not.toThrow()
    vi.unstubAllGlobals()
  })
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { deadline, graceMs, stallMs } from './deadline.ts'

afterEach(() => vi.useRealTimers())

describe('deadline', () => {
  it('expires when its time is over, and not before', () => {
    vi.useFakeTimers()
    const expired = vi.fn()
    deadline(100, expired)
    vi.advanceTimersByTime(99)
    expect(expired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(expired).toHaveBeenCalledTimes(1)
  })

  it('can be taken back', () => {
    vi.useFakeTimers()
    const expired = vi.fn()
    deadline(100, expired)()
    vi.advanceTimersByTime(1_000)
    expect(expired).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('hears what came while the process stood still, before it expires', async () => {
    const heard: string[] = []
    await new Promise<void>(resolve => {
      deadline(5, () => {
        heard.push('expired')
        resolve()
      })
      const until = performance.now() + 5 + stallMs + 20
      while (performance.now() < until);
      setTimeout(() => heard.push('came'), 1)
    })
    expect(heard).toEqual(['came', 'expired'])
    expect(graceMs).toBeGreaterThan(1)
  })

  it('can be taken back while it hears what came', async () => {
    const expired = vi.fn()
    const takeBack = deadline(5, expired)
    // One of the same time that is not taken back: when it expires, the other would have.
    const other = new Promise<void>(resolve => deadline(5, resolve))
    const until = performance.now() + 5 + stallMs + 20
    while (performance.now() < until);
    await new Promise(resolve => setTimeout(resolve, 1))
    takeBack()
    await other
    expect(expired).not.toHaveBeenCalled()
  })
})

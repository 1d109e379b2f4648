import { describe, expect, it, vi } from 'vitest'
import { ManualClock } from '../../test/support/manual-clock.ts'
import { withTimeout } from './with-timeout.ts'

const never = new Promise<string>(() => {})

function later() {
  let resolve = (_: string) => {}
  const promise = new Promise<string>(done => {
    resolve = done
  })
  return { promise, resolve }
}

describe('withTimeout', () => {
  it('resolves and rejects as the promise does, and leaves no timer', async () => {
    const clock = new ManualClock()
    expect(await withTimeout(clock, 10, Promise.resolve('here'), () => 'late')).toBe('here')
    await expect(withTimeout(clock, 10, Promise.reject(new Error('down')), () => 'late')).rejects.toThrow(
      'down',
    )
    expect(clock.pending).toBe(0)
  })

  it('resolves with what stands for a promise that takes longer', async () => {
    const clock = new ManualClock()
    const waiting = withTimeout(clock, 10, never, () => 'late')
    await clock.pass(10)
    expect(await waiting).toBe('late')
  })

  it('rejects with what is thrown for a promise that takes longer', async () => {
    const clock = new ManualClock()
    const waiting = withTimeout(clock, 10, never, () => {
      throw new Error('It timed out.')
    })
    const rejected = expect(waiting).rejects.toThrow('It timed out.')
    await clock.pass(10)
    await rejected
  })

  it('hands over a value that comes too late, and drops what that throws', async () => {
    const clock = new ManualClock()
    const { promise, resolve } = later()
    const late = vi.fn(() => {
      throw new Error('dropped')
    })
    const waiting = withTimeout(clock, 10, promise, () => undefined, late)
    await clock.pass(10)
    expect(await waiting).toBeUndefined()
    expect(late).not.toHaveBeenCalled()
    resolve('at last')
    await clock.pass(0)
    expect(late.mock.calls).toEqual([['at last']])
  })

  it('keeps a value that comes in time', async () => {
    const clock = new ManualClock()
    const { promise, resolve } = later()
    const late = vi.fn()
    const waiting = withTimeout(clock, 10, promise, () => undefined, late)
    await clock.pass(9)
    resolve('in time')
    await clock.pass(100)
    expect(await waiting).toBe('in time')
    expect(late).not.toHaveBeenCalled()
  })
})

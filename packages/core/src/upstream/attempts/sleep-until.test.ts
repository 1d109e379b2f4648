import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { type EndListener, Lifetime } from '../../http/lifetime.ts'
import { sleepUntil } from './sleep-until.ts'

describe('pause', () => {
  const life = () => new Lifetime(new AbortController().signal)

  it('never wakes too soon, where a timer does', async () => {
    const timers = new ManualClock()
    let now = 0
    const waking = sleepUntil(10.5, life(), { ...timers, monotonic: () => now })
    now = 10
    await timers.pass(11)
    expect(timers.pending).toBe(1)
    now = 10.5
    await timers.pass(1)
    await waking
    expect(timers.pending).toBe(0)
  })

  it('hears nothing of a life that ends after it', async () => {
    const clock = new ManualClock()
    const lifetime = life()
    const waking = sleepUntil(10, lifetime, clock)
    await clock.pass(10)
    await waking
    lifetime.end('client_disconnected')
  })

  it.each([
    ['that is over', -1],
    ['that is now', 0],
    ['to come', 10],
  ])('leaves no listener after a time %s', async (_, until) => {
    const clock = new ManualClock()
    const lifetime = life()
    const listeners = new Set<EndListener>()
    lifetime.onEnd = listener => void listeners.add(listener)
    lifetime.offEnd = listener => void listeners.delete(listener)
    const waking = sleepUntil(until, lifetime, clock)
    await clock.pass(10)
    await waking
    expect(listeners.size).toBe(0)
  })

  it.each(['client_disconnected', 'gateway_closed'] as const)(
    'ends with the life, before or after: %s',
    async reason => {
      const clock = new ManualClock()
      const lifetime = life()
      const waking = sleepUntil(10, lifetime, clock)
      lifetime.end(reason)
      await expect(waking).rejects.toMatchObject({ name: 'LifeEnded' })
      await expect(sleepUntil(10, lifetime, clock)).rejects.toMatchObject({ name: 'LifeEnded' })
      expect(clock.pending).toBe(0)
    },
  )
})

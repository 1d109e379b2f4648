import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Lifetime } from '../../http/lifetime.ts'
import { pause } from './pause.ts'

describe('pause', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const clock = () => performance.now()
  const life = () => new Lifetime(new AbortController().signal)

  it('never wakes too soon, where a timer does', async () => {
    let now = 0
    const waking = pause(10.5, life(), () => now)
    now = 10
    await vi.advanceTimersByTimeAsync(11)
    expect(vi.getTimerCount()).toBe(1)
    now = 10.5
    await vi.advanceTimersByTimeAsync(1)
    await waking
    expect(vi.getTimerCount()).toBe(0)
  })

  it('hears nothing of a life that ends after it', async () => {
    const lifetime = life()
    const waking = pause(clock() + 10, lifetime, clock)
    await vi.advanceTimersByTimeAsync(10)
    await waking
    lifetime.end('client_left')
  })

  it.each(['client_left', 'gateway_closed'] as const)(
    'ends with the life, before or after: %s',
    async reason => {
      const lifetime = life()
      const waking = pause(clock() + 10, lifetime, clock)
      lifetime.end(reason)
      await expect(waking).rejects.toMatchObject({ name: 'LifeEnded' })
      await expect(pause(clock() + 10, lifetime, clock)).rejects.toMatchObject({ name: 'LifeEnded' })
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})

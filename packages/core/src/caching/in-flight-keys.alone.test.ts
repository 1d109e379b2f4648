import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import type { CacheKey, GuardedCacheStore, StoreOutcome } from '../contracts/cache-store.ts'
import { type HeldKey, InFlightKeys } from './in-flight-keys.ts'
import { type MemoryCacheStore, memoryCacheStore } from './memory-cache-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const keyOf = (name: string): CacheKey => ({ owner: 'ann', name })
const k = keyOf('k')
const minute = { ttlMs: 60_000 }

function setUp() {
  const store = { memory: memoryCacheStore({ maxEntriesPerOwner: 10_000 }), down: false, ms: 0 }
  const on = async <T>(run: (memory: MemoryCacheStore) => T): Promise<StoreOutcome<T>> => {
    if (store.ms > 0) await new Promise(resolve => setTimeout(resolve, store.ms))
    return store.down ? { ok: false, error: new Error('down') } : { ok: true, value: run(store.memory) }
  }
  const watched: GuardedCacheStore = {
    get: key => on(memory => memory.get(key)),
    set: (...given) => on(memory => memory.set(...given)),
    add: (...given) => on(memory => memory.add(...given)),
    replace: (...given) => on(memory => memory.replace(...given)),
  }
  const keys = new InFlightKeys(watched, systemClock)
  const held = async (name = 'k', text = 'mine') => {
    const outcome = await keys.hold(keyOf(name), text)
    if (!outcome.ok || outcome.value === 'full' || 'existing' in outcome.value)
      throw new Error('The key is not free.')
    return outcome.value satisfies HeldKey
  }
  return { store, keys, held, kept: () => store.memory.get(k) }
}
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)

describe('InFlightKeys', () => {
  it('holds a key as long as its request runs, and keeps what it came to for its time', async () => {
    const { keys, held, kept } = setUp()
    const key = await held()
    await seconds(600)
    expect(await keys.hold(k, 'other')).toEqual({ ok: true, value: { existing: 'mine' } })
    await key.end('answer', 60_000)
    await seconds(59)
    expect(kept()).toBe('answer')
    await seconds(2)
    expect(kept()).toBeUndefined()
  })

  it('holds many, however slow the store, and while others come', async () => {
    const { store, held, keys } = setUp()
    const names = Array.from({ length: 2_000 }, (_, index) => `k${index}`)
    for (const name of names) await held(name)
    store.ms = 40
    for (let second = 0; second < 60; second++) {
      for (let index = 0; index < 30; index++) void keys.hold(keyOf(`later${second}:${index}`), 'mine')
      await seconds(1)
    }
    expect(names.filter(name => store.memory.get(keyOf(name)) !== 'mine')).toEqual([])
  })

  it('gives a key to one of two that would keep the same text', async () => {
    const { keys, held } = setUp()
    await held()
    expect(await keys.hold(k, 'mine')).toEqual({ ok: true, value: { existing: 'mine' } })
  })

  it('frees a key, and leaves no timer', async () => {
    const { held, kept } = setUp()
    const [one, other] = [await held(), await held('other')]
    await one.end(undefined, 60_000)
    expect([kept(), vi.getTimerCount()]).toEqual([undefined, 1])
    await other.end('answer', 60_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells of a store that fails', async () => {
    const { store, keys } = setUp()
    store.down = true
    expect(await keys.hold(k, 'mine')).toMatchObject({ ok: false })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('frees the key of a process that has died, in half a minute', async () => {
    const { store, held, kept } = setUp()
    await held()
    await seconds(100)
    store.down = true
    await seconds(19)
    expect(kept()).toBe('mine')
    await seconds(12)
    expect(kept()).toBeUndefined()
  })

  it.each(['answer', undefined])('tries again to keep %s where the store fails at the end', async last => {
    const { store, held, kept } = setUp()
    const key = await held()
    store.down = true
    await key.end(last, 60_000)
    store.down = false
    expect(kept()).toBe('mine')
    await seconds(11)
    expect([kept(), vi.getTimerCount()]).toEqual([last, 0])
  })

  it('gives up after half a minute', async () => {
    const { store, held } = setUp()
    const key = await held()
    store.down = true
    await key.end('answer', 60_000)
    await seconds(29)
    expect(vi.getTimerCount()).toBe(1)
    await seconds(12)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells a store again that has forgotten it', async () => {
    const { store, keys, held, kept } = setUp()
    const key = await held()
    store.memory = memoryCacheStore()
    await seconds(11)
    expect(await keys.hold(k, 'other')).toEqual({ ok: true, value: { existing: 'mine' } })
    store.memory = memoryCacheStore()
    await key.end('answer', 60_000)
    expect(kept()).toBe('answer')
  })

  it('leaves what another request has put in its place', async () => {
    for (const last of ['answer', undefined]) {
      const { store, held, kept } = setUp()
      const key = await held()
      store.memory.set(k, 'of another', minute)
      await seconds(11)
      expect(vi.getTimerCount()).toBe(0)
      await key.end(last, 60_000)
      expect(kept()).toBe('of another')
    }
  })

  it('ends a key after the renewal that is on its way', async () => {
    const { store, held, kept } = setUp()
    const key = await held()
    const { memory } = store
    store.memory = { ...memory, replace: () => false, add: memory.add } as MemoryCacheStore
    vi.advanceTimersByTime(10_000)
    const ended = key.end(undefined, 60_000)
    store.memory = memory
    await ended
    expect([kept(), vi.getTimerCount()]).toEqual([undefined, 0])
  })
})

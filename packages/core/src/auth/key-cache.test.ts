import { afterEach, describe, expect, it, vi } from 'vitest'
import type { GatewayEvent } from '../contracts/events.ts'
import type { ApiKeyRecord } from '../contracts/key-store.ts'
import { GatewayError } from '../errors/errors.ts'
import { apiKeys } from './api-keys.ts'
import type { ApiKeysOptions } from './api-keys-options.ts'
import { hashApiKey } from './key-digest.ts'

const ttl = 5_000
const stale = 60_000
const pause = 250

type Answer = ApiKeyRecord | undefined

/** Callers by a store that a test takes down, with a clock that it moves. */
function setUp(options: ApiKeysOptions = {}) {
  const table = new Map<string, ApiKeyRecord>([
    [hashApiKey('sk-ann'), { id: 'ann' }],
    [hashApiKey('sk-bob'), { id: 'bob' }],
  ])
  const state = {
    now: 1_000_000,
    asked: 0,
    events: [] as GatewayEvent[],
    /** What the store does in place of its answer. */
    instead: undefined as ((digest: string) => Answer | Promise<Answer>) | undefined,
  }
  const pass = apiKeys(
    digest => {
      state.asked++
      return state.instead === undefined ? table.get(digest) : state.instead(digest)
    },
    { now: () => state.now, observe: event => void state.events.push(event), ...options },
  )
  const who = async (key: string) => {
    try {
      const request = new Request('http://a/', { headers: { authorization: `Bearer ${key}` } })
      return (await pass(request, undefined))?.id ?? 401
    } catch (error) {
      return GatewayError.is(error) && error.reason === 'authentication_unavailable' ? 503 : error
    }
  }
  const down = () => {
    state.instead = () => Promise.reject(new Error('no connection'))
  }
  const up = () => {
    state.instead = undefined
  }
  return { state, table, who, down, up }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a store of keys, where another library has written to Object.prototype', () => {
  it.each(['record', 'thrown', 'kind', 'requestedAt', 'status', 'size', 'ttl', 'maxSize', 'fetchMethod'])(
    'takes no %s from there',
    async name => {
      const intruder = {
        id: 'intruder',
        disabled: false,
        expiresAt: null,
        models: null,
        tags: null,
        limits: null,
      }
      const { state, who } = setUp()
      Object.defineProperty(Object.prototype, name, { value: intruder, configurable: true })
      try {
        expect([await who('sk-ann'), await who('sk-none')]).toEqual(['ann', 401])
        const banned = new GatewayError('missing_scope')
        state.instead = () => Promise.reject(banned)
        expect([await who('sk-bob'), await who('sk-bob')]).toEqual([banned, banned])
      } finally {
        Reflect.deleteProperty(Object.prototype, name)
      }
    },
  )
})

describe('a store of keys that fails', () => {
  it('lets in whom it knew a short while ago, and answers 503 to anybody else', async () => {
    const { state, who, down } = setUp()
    expect([await who('sk-ann'), await who('sk-none')]).toEqual(['ann', 401])
    down()
    expect([await who('sk-ann'), await who('sk-none'), await who('sk-bob')]).toEqual(['ann', 401, 503])
    state.now += ttl
    expect([await who('sk-ann'), await who('sk-none'), await who('sk-bob')]).toEqual(['ann', 503, 503])
    state.now += stale - 1
    expect(await who('sk-ann')).toBe('ann')
    state.now += 1
    expect(await who('sk-ann')).toBe(503)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['rejects with nothing', () => Promise.reject(undefined)],
    ['answers that it is overloaded', () => Promise.reject(new GatewayError('overloaded'))],
  ])('is told by 503 where it %s', async (_, instead) => {
    const { state, who } = setUp()
    state.instead = instead
    expect(await who('sk-ann')).toBe(503)
  })

  it('lets in nobody for longer where that is not wanted', async () => {
    const { state, who, down } = setUp({ staleMs: 0 })
    await who('sk-ann')
    down()
    expect(await who('sk-ann')).toBe('ann')
    state.now += ttl
    expect(await who('sk-ann')).toBe(503)
  })

  it('does not keep in whom it had cut off before, nor beyond a key’s own end', async () => {
    const { state, table, who, down } = setUp()
    table.set(hashApiKey('sk-bob'), { id: 'bob', expiresAt: state.now + 20_000 })
    expect([await who('sk-ann'), await who('sk-bob')]).toEqual(['ann', 'bob'])
    table.delete(hashApiKey('sk-ann'))
    state.now += ttl
    expect(await who('sk-ann')).toBe(401)
    down()
    state.now += ttl
    expect([await who('sk-ann'), await who('sk-bob')]).toEqual([503, 'bob'])
    state.now += 10_000
    expect(await who('sk-bob')).toBe(401)
  })

  it('does not keep in whom it had told of with a fault', async () => {
    const { state, table, who, down } = setUp()
    await who('sk-ann')
    table.set(hashApiKey('sk-ann'), { id: 'ann', limits: 'none' } as never)
    state.now += ttl
    expect(await who('sk-ann')).toBeInstanceOf(TypeError)
    down()
    expect(await who('sk-ann')).toBe(503)
  })

  it('is not meant by a refusal of the caller', async () => {
    const { state, who } = setUp()
    const refusal = new GatewayError('missing_scope')
    state.instead = () => Promise.reject(refusal)
    for (let i = 0; i < 10; i++) expect(await who('sk-ann')).toBe(refusal)
    expect([state.asked, state.events]).toEqual([10, []])
  })

  it('is spared after five failures in a row, asked by one at a time, and told of once', async () => {
    const { state, who, down, up } = setUp()
    down()
    for (let i = 0; i < 20; i++) expect(await who('sk-ann')).toBe(503)
    expect(state.asked).toBe(5)
    expect(state.events).toMatchObject([{ type: 'store', store: 'keys', state: 'failing' }])
    expect(state.events[0]).toHaveProperty('error.message', 'no connection')
    state.now += pause
    expect(await Promise.all(['sk-a', 'sk-b', 'sk-c'].map(who))).toEqual([503, 503, 503])
    expect(state.asked).toBe(6)
    up()
    expect([await who('sk-ann'), state.asked]).toEqual([503, 6])
    state.now += pause
    expect([await who('sk-ann'), await who('sk-bob'), await who('sk-none')]).toEqual(['ann', 'bob', 401])
    expect(state.events).toMatchObject([{ state: 'failing' }, { state: 'working', error: undefined }])
    down()
    state.now += ttl
    for (let i = 0; i < 9; i++) await who('sk-none')
    expect(state.events.map(event => event.type === 'store' && event.state)).toEqual([
      'failing',
      'working',
      'failing',
    ])
  })

  it('is not spared for failures with a success between them', async () => {
    const { state, who, down, up } = setUp()
    for (let i = 0; i < 5; i++) {
      down()
      for (let j = 0; j < 4; j++) await who(`sk-${i}`)
      up()
      await who(`sk-other-${i}`)
    }
    expect([state.asked, state.events]).toEqual([25, []])
  })

  it('is not spared for longer because the clock was put back', async () => {
    const { state, who, down, up } = setUp()
    down()
    for (let i = 0; i < 5; i++) await who('sk-ann')
    up()
    state.now -= 3_600_000
    expect(await who('sk-ann')).toBe('ann')
  })

  it('is asked again where the clock was put back', async () => {
    const { state, who } = setUp()
    expect([await who('sk-ann'), await who('sk-none')]).toEqual(['ann', 401])
    state.now -= 3_600_000
    expect([await who('sk-ann'), await who('sk-none'), state.asked]).toEqual(['ann', 401, 4])
  })

  it('may have an observer that throws', async () => {
    const { who, down } = setUp({
      observe: () => {
        throw new Error('mine')
      },
    })
    down()
    for (let i = 0; i < 6; i++) expect(await who('sk-ann')).toBe(503)
  })
})

describe('a store of keys that is slow', () => {
  it('is waited for no longer than was said; a late answer is remembered from its question on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { state, who } = setUp({ lookupMs: 100 })
    let release = (_: Answer) => {}
    state.instead = () =>
      new Promise(resolve => {
        release = resolve
      })
    const waiting = who('sk-ann')
    await vi.advanceTimersByTimeAsync(99)
    const joined = who('sk-ann')
    await vi.advanceTimersByTimeAsync(1)
    expect([await waiting, await joined, state.asked]).toEqual([503, 503, 1])
    state.now += 100
    release({ id: 'ann' })
    await vi.advanceTimersByTimeAsync(0)
    expect([await who('sk-ann'), state.asked]).toEqual(['ann', 1])
    state.now += ttl - 100
    const again = who('sk-ann')
    expect(state.asked).toBe(2)
    await vi.advanceTimersByTimeAsync(100)
    expect(await again).toBe('ann')
  })

  it('is asked once by all who wait for the same key', async () => {
    const { state, who } = setUp()
    let release = (_: Answer) => {}
    state.instead = () =>
      new Promise(resolve => {
        release = resolve
      })
    const all = Array.from({ length: 50 }, () => who('sk-ann'))
    release({ id: 'ann' })
    expect(new Set(await Promise.all(all))).toEqual(new Set(['ann']))
    expect(state.asked).toBe(1)
  })

  it('cannot undo by a late answer what it said to a later question', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { state, table, who, down, up } = setUp({ lookupMs: 100 })
    let release = (_: Answer) => {}
    state.instead = () =>
      new Promise(resolve => {
        release = resolve
      })
    const slow = who('sk-ann')
    await vi.advanceTimersByTimeAsync(100)
    expect(await slow).toBe(503)
    up()
    table.delete(hashApiKey('sk-ann'))
    state.now += 100
    expect(await who('sk-ann')).toBe(401)
    release({ id: 'ann' })
    await vi.advanceTimersByTimeAsync(0)
    expect(await who('sk-ann')).toBe(401)
    down()
    state.now += ttl
    expect(await who('sk-ann')).toBe(503)
  })

  it('is spared, and probed by one at a time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { state, who } = setUp({ lookupMs: 100 })
    let hanging = 0
    state.instead = () => {
      hanging++
      return new Promise(() => {})
    }
    const first = Array.from({ length: 8 }, (_, i) => who(`sk-${i}`))
    await vi.advanceTimersByTimeAsync(100)
    expect(new Set(await Promise.all(first))).toEqual(new Set([503]))
    for (let round = 1; round <= 3; round++) {
      state.now += pause
      const probes = Array.from({ length: 8 }, (_, i) => who(`sk-${i}`))
      // All but the probe are answered at once.
      expect(await Promise.all(probes.slice(1))).toEqual(Array.from({ length: 7 }, () => 503))
      expect(hanging).toBe(8 + round)
      await vi.advanceTimersByTimeAsync(100)
      expect(await probes[0]).toBe(503)
    }
  })

  it('is not taken for one that works, nor for one that fails, by what it was asked before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { state, who, down } = setUp({ lookupMs: 100 })
    const release: ((answer: Answer) => void)[] = []
    state.instead = () => new Promise(resolve => release.push(resolve))
    const [early, hanging] = [who('sk-early'), who('sk-hanging')]
    down()
    for (let i = 0; i < 5; i++) await who('sk-none')
    release[0]?.({ id: 'early' })
    expect(await early).toBe('early')
    expect([await who('sk-bob'), state.events.length]).toEqual([503, 1])
    await vi.advanceTimersByTimeAsync(60)
    state.now += pause
    state.instead = () => new Promise(resolve => release.push(resolve))
    const probe = who('sk-bob')
    await vi.advanceTimersByTimeAsync(40)
    expect(await hanging).toBe(503)
    state.now += pause
    expect([await who('sk-ann'), state.asked]).toEqual([503, 8])
    release[2]?.({ id: 'bob' })
    expect([await probe, state.events.length]).toEqual(['bob', 2])
  })
})

describe('bounds', () => {
  it.each([
    [{ lookupMs: 0 }, /lookupMs: got 0, expected a number above 0/],
    [{ lookupMs: Number.NaN }, /lookupMs/],
    [{ lookupMs: Number.POSITIVE_INFINITY }, /lookupMs/],
    [{ lookupMs: '250' }, /lookupMs/],
    [{ staleMs: -1 }, /staleMs: got -1, expected a number of milliseconds from 0/],
    [{ staleMs: Number.POSITIVE_INFINITY }, /staleMs/],
    [{ staleMs: Number.NaN }, /staleMs/],
  ])('%o are none', (options, message) => {
    expect(() => apiKeys(() => undefined, options as ApiKeysOptions)).toThrow(message)
  })

  it('hold of unknown keys, which do not drive out found ones', async () => {
    const { state, who, down } = setUp({ maxUnknown: 10 })
    expect(await who('sk-ann')).toBe('ann')
    for (let i = 0; i < 1_000; i++) await who(`sk-${i}`)
    const { asked } = state
    down()
    expect([await who('sk-ann'), await who('sk-999'), await who('sk-0')]).toEqual(['ann', 401, 503])
    expect(state.asked).toBe(asked + 1)
  })
})

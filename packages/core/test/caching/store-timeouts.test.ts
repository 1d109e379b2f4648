import { describe, expect, it, onTestFinished } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import { memoryCacheStore } from '../../src/caching/memory-cache-store.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import { type Clock, systemClock } from '../../src/clock/clock.ts'
import type { CacheStore } from '../../src/contracts/cache-store.ts'
import type { StoreEvent } from '../../src/contracts/events.ts'
import type { ResponseStore } from '../../src/contracts/response-store.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { memoryLimitStore } from '../../src/rate-limiting/memory-limit-store.ts'
import { budget } from '../../src/rate-limiting/rule.ts'
import { memoryResponseStore } from '../../src/stores/memory-response-store.ts'
import { shareProcessStores } from '../../src/stores/process-stores.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'
import { scriptedSharedHealth } from '../support/scripted-shared-health.ts'

/** A store that is `ms` away: each of its operations takes as long. */
function distant<Store extends object>(store: Store, clock: Pick<Clock, 'setTimer'>, ms: number): Store {
  return new Proxy(store, {
    get: (of, name) => {
      const operation: unknown = Reflect.get(of, name)
      if (typeof operation !== 'function') return operation
      return async (...args: unknown[]) => {
        await new Promise<void>(resolve => clock.setTimer(ms, resolve))
        return operation.apply(of, args)
      }
    },
  })
}

/** A gateway on a clock of its own. Its principal is named by the header `x-caller`. */
function servingOn(clock: ManualClock, options: Partial<GatewayOptions>) {
  const { target, inputs } = scripted((_, index) => whole(`Answer ${index}.`))
  const { gateway, given, events, ends } = serving(target, {
    clock,
    authenticate: request => ({ id: request.headers.get('x-caller') ?? 'ann' }),
    ...options,
  })
  async function send(path: string, body: object, headers: Record<string, string>) {
    const request = gateway.fetch(`http://sluice.test/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', ...body }),
    })
    let response: Response | undefined
    void request.then(came => {
      response = came
    })
    while (response === undefined) await clock.pass(10)
    const text = await response.text()
    // What is stored at the end of a response.
    await clock.pass(3_000)
    return { status: response.status, headers: response.headers, body: JSON.parse(text) }
  }
  const messages = [{ role: 'user', content: 'Hello!' }]
  return {
    gateway,
    given,
    inputs,
    stores: () => events.filter((event): event is StoreEvent => event.type === 'store'),
    lookups: () => ends().map(({ cache }) => cache),
    respond: (body: object, headers = {}) => send('responses', body, headers),
    cached: async (headers = {}) => {
      const { status, headers: got } = await send('chat/completions', { messages, temperature: 0 }, headers)
      return [status, got.get('x-sluice-cache')]
    },
    keyed: async (headers = {}) => {
      const own = { 'idempotency-key': 'k', ...headers }
      const { status, headers: got, body } = await send('chat/completions', { messages }, own)
      return [status, body.error?.code ?? got.get('idempotency-replayed')]
    },
  }
}

function distantCache(ms: number, options: { cacheMs?: number; keysMs?: number; storeTimeoutMs?: number }) {
  const clock = new ManualClock()
  const store: CacheStore = distant(memoryCacheStore({ now: clock.monotonic }), clock, ms)
  const { cacheMs, keysMs, storeTimeoutMs } = options
  return servingOn(clock, {
    cache: responseCache({ store, ttlMs: 600_000, ...(cacheMs && { storeTimeoutMs: cacheMs }) }),
    idempotency: idempotency({ store, ...(keysMs && { storeTimeoutMs: keysMs }) }),
    ...(storeTimeoutMs && { storeTimeoutMs }),
  })
}

describe('a cache store that takes 80 ms', () => {
  it('by default never hits and refuses keys, which events say', async () => {
    const site = distantCache(80, {})
    for (let times = 0; times < 4; times++) expect(await site.cached()).toEqual([200, 'miss'])
    expect(await site.keyed()).toEqual([503, 'idempotency_unavailable'])
    expect(site.inputs).toHaveLength(4)
    expect(site.lookups()).toEqual(['failed', 'failed', 'failed', 'failed', undefined])
    expect(site.stores()).toMatchObject([
      {
        store: 'answers',
        state: 'failing',
        error: {
          name: 'TimeoutError',
          message: 'The store of answers timed out after 50 ms (storeTimeoutMs).',
        },
      },
    ])
  })

  it.each([
    ['the gateway', { storeTimeoutMs: 1_000 }],
    ['both', { cacheMs: 1_000, keysMs: 1_000, storeTimeoutMs: 1 }],
  ])('hits and replays with a longer timeout of %s, for its principal only', async (_, options) => {
    const site = distantCache(80, options)
    expect([await site.cached(), await site.cached()]).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    expect([await site.keyed(), await site.keyed()]).toEqual([
      [200, null],
      [200, 'true'],
    ])
    expect(site.inputs).toHaveLength(2)
    const bob = { 'x-caller': 'bob' }
    expect([await site.cached(bob), await site.keyed(bob)]).toEqual([
      [200, 'miss'],
      [200, null],
    ])
    expect(site.lookups().filter(each => each !== undefined)).toEqual(['miss', 'hit', 'miss'])
    expect(site.stores()).toEqual([])
  })

  it('may be too slow for the cache alone', async () => {
    const site = distantCache(80, { cacheMs: 50, keysMs: 1_000 })
    for (let times = 0; times < 6; times++) expect(await site.cached()).toEqual([200, 'miss'])
    expect([await site.keyed(), await site.keyed()]).toEqual([
      [200, null],
      [200, 'true'],
    ])
  })
})

describe('storeTimeoutMs of a gateway', () => {
  it('is that of rules and caches in memory that workers share', async () => {
    const cache = distant(memoryCacheStore(), systemClock, 80)
    const limitStore = distant(memoryLimitStore(), systemClock, 80)
    shareProcessStores({
      processes: 2,
      limits: () => limitStore,
      cache: () => cache,
      responses: () => expect.fail('no response is stored'),
      health: scriptedSharedHealth(systemClock.monotonic),
      slots: () => expect.fail('no provider has slots'),
    })
    onTestFinished(() => shareProcessStores(undefined))
    const at = async (storeTimeoutMs?: number) => {
      const given = storeTimeoutMs && { storeTimeoutMs }
      const { target } = scripted(() => whole('Hello.'))
      const limited = serving(target, { limits: budget(1, 'usd').per('day'), prices: () => 0.001, ...given })
      const cached = serving(target, { cache: responseCache({ ttlMs: 600_000 }), ...given })
      const { status } = await limited.post({})
      await cached.post({ temperature: 0 })
      return [status, cached.ends()[0]?.cache]
    }
    expect(await at()).toEqual([200, 'miss'])
    expect(await at(20)).toEqual([503, 'failed'])
  })

  it('may be another one after a reload', async () => {
    const clock = new ManualClock()
    const sharedHealth = distant(scriptedSharedHealth(clock.monotonic), clock, 80)
    const { gateway, given, cached, stores } = servingOn(clock, { breaker: {}, sharedHealth })
    await cached()
    gateway.reload({ ...given, storeTimeoutMs: 1_000 })
    await cached()
    gateway.reload(given)
    await cached()
    expect(stores().map(({ store, state }) => `${store} ${state}`)).toEqual([
      'health failing',
      'health working',
      'health failing',
    ])
  })

  it('is that of stored responses, which have at least a second', async () => {
    const at = async (ms: number, storeTimeoutMs?: number) => {
      const clock = new ManualClock()
      const responses: ResponseStore = distant(memoryResponseStore({ now: clock.monotonic }), clock, ms)
      const site = servingOn(clock, { responses, ...(storeTimeoutMs && { storeTimeoutMs }) })
      const first = await site.respond({ input: 'Hello!' })
      const next = { input: 'And now?', previous_response_id: first.body.id }
      const bobs = await site.respond(next, { 'x-caller': 'bob' })
      return [(await site.respond(next)).status, bobs.status]
    }
    expect(await at(900)).toEqual([200, 400])
    expect(await at(900, 50)).toEqual([200, 400])
    expect(await at(1_500)).toEqual([503, 503])
    expect(await at(1_500, 2_000)).toEqual([200, 400])
  })

  it('is that of shared health', async () => {
    const at = async (storeTimeoutMs?: number) => {
      const clock = new ManualClock()
      const site = servingOn(clock, {
        breaker: {},
        sharedHealth: distant(scriptedSharedHealth(clock.monotonic), clock, 80),
        ...(storeTimeoutMs && { storeTimeoutMs }),
      })
      expect(await site.cached()).toEqual([200, null])
      await site.cached()
      return site.stores().map(({ store, state }) => `${store} ${state}`)
    }
    expect(await at()).toEqual(['health failing'])
    expect(await at(1_000)).toEqual([])
  })

  it.each([0, -1, 1.5, 60_001, Number.NaN, Number.POSITIVE_INFINITY, '50', null, {}])('is not %j', value => {
    const given = { storeTimeoutMs: value as never }
    const fault = /storeTimeoutMs: got .*expected a whole number from 1 to 60000/
    expect(() => responseCache({ ttlMs: 1, ...given })).toThrow(fault)
    expect(() => idempotency(given)).toThrow(fault)
    expect(() => serving(scripted(() => whole('')).target, given)).toThrow(fault)
    const cache = { ...responseCache({ ttlMs: 1 }), ...given }
    expect(() => serving(scripted(() => whole('')).target, { cache })).toThrow('cache: got')
  })
})

it('waits for limits as long as their store may take, beyond policyMs', async () => {
  const at = async (ms: number) => {
    const clock = new ManualClock()
    const store = distant(memoryLimitStore({ now: clock.now }), clock, ms)
    const site = servingOn(clock, {
      limits: limits([budget(1, 'usd').per('day')], { store, clock, storeTimeoutMs: 2_000 }),
      prices: () => 0.001,
      timeouts: { policyMs: 1_000 },
    })
    return site.keyed()
  }
  expect(await at(1_500)).toEqual([200, null])
  expect(await at(2_500)).toEqual([503, 'limiter_unavailable'])
})

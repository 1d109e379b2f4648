import { describe, expect, it } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import { memoryCacheStore } from '../../src/caching/memory-cache-store.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { CacheStore } from '../../src/contracts/cache-store.ts'
import type { StoreEvent } from '../../src/contracts/events.ts'
import type { ResponseStore } from '../../src/contracts/response-store.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { memoryResponseStore } from '../../src/stores/memory-response-store.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { chunks, scripted, serving, stop, text, whole } from '../support/scripted-gateway.ts'
import { scriptedSharedHealth } from '../support/scripted-shared-health.ts'

/** A store whose operations fail while it is down. */
function breakable<Store extends object>(store: Store) {
  const state = { isDown: true }
  const broken = new Proxy(store, {
    get: (of, name) => {
      const operation: unknown = Reflect.get(of, name)
      if (typeof operation !== 'function') return operation
      return async (...args: unknown[]) => {
        if (state.isDown) throw new Error('down')
        return operation.apply(of, args)
      }
    },
  })
  return Object.assign(state, { store: broken })
}

function site(options: Partial<GatewayOptions>) {
  const clock = new ManualClock()
  const { target } = scripted(() => whole('Hello.'))
  const { gateway, given, events, post } = serving(target, { clock, ...options })
  return {
    clock,
    gateway,
    given,
    /** Sends so many requests that look up the cache. */
    cached: async (times: number) => {
      for (let time = 0; time < times; time++) await post({ temperature: 0 })
    },
    stores: () =>
      events
        .filter((event): event is StoreEvent => event.type === 'store')
        .map(({ store, state }) => `${store} ${state}`),
  }
}

const cacheIn = (store: CacheStore, storeTimeoutMs?: number) =>
  responseCache({ store, ttlMs: 600_000, ...(storeTimeoutMs && { storeTimeoutMs }) })

describe('a failing store of answers', () => {
  it('fails after a reload that keeps it, and works again once', async () => {
    const answers = breakable(memoryCacheStore())
    const cache = cacheIn(answers.store)
    const { gateway, given, clock, cached, stores } = site({ cache })
    await cached(6)
    gateway.reload({ ...given, maxAttempts: 1 })
    await cached(6)
    expect(stores()).toEqual(['answers failing'])
    answers.isDown = false
    await clock.pass(5_000)
    await cached(2)
    expect(stores()).toEqual(['answers failing', 'answers working'])
  })

  it.each([
    ['another one', { cache: cacheIn(memoryCacheStore()) }],
    ['none', {}],
  ])('fails no more after a reload that replaces it by %s', async (_, replaced) => {
    const { gateway, given, cached, stores } = site({ cache: cacheIn(breakable(memoryCacheStore()).store) })
    await cached(6)
    const { cache: _failing, ...others } = given
    gateway.reload({ ...others, ...replaced })
    expect(stores()).toEqual(['answers failing', 'answers working'])
    await cached(6)
    expect(stores()).toHaveLength(2)
  })

  it('is reported to the observer of the options in use', async () => {
    const answers = breakable(memoryCacheStore())
    const { gateway, given, clock, cached, stores } = site({ cache: cacheIn(answers.store) })
    await cached(6)
    const later: unknown[] = []
    gateway.reload({ ...given, observe: event => event.type === 'store' && later.push(event) })
    answers.isDown = false
    await clock.pass(5_000)
    await cached(1)
    expect(stores()).toEqual(['answers failing'])
    expect(later).toEqual([{ type: 'store', store: 'answers', state: 'working', error: undefined }])
  })

  it('works again when the last request that uses it has ended', async () => {
    const answers = breakable(memoryCacheStore())
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const { target } = scripted((_, index) =>
      index < 6
        ? whole('Hello.')
        : {
            kind: 'stream',
            chunks: (async function* () {
              yield [text('Hel')]
              await released
              yield* chunks([text('lo.'), stop])
            })(),
          },
    )
    const { gateway, given, events, post } = serving(target, { cache: cacheIn(answers.store) })
    for (let times = 0; times < 6; times++) await post({ temperature: 0 })
    const stream = await post({ temperature: 0, stream: true })
    gateway.reload({ ...given, cache: cacheIn(memoryCacheStore()) })
    const states = () => events.flatMap(event => (event.type === 'store' ? [event.state] : []))
    expect(states()).toEqual(['failing'])
    release()
    await stream.text()
    await expect.poll(states).toEqual(['failing', 'working'])
  })

  it('is not said to work by a gateway that is closed', async () => {
    const { gateway, cached, stores } = site({ cache: cacheIn(breakable(memoryCacheStore()).store) })
    await cached(6)
    await gateway.close()
    expect(stores()).toEqual(['answers failing'])
  })

  it('fails once and works once, with a timeout for the cache and another for keys', async () => {
    const answers = breakable(memoryCacheStore())
    const keys = idempotency({ store: answers.store, storeTimeoutMs: 1_000 })
    const clock = new ManualClock()
    const { target } = scripted(() => whole('Hello.'))
    const { events, post } = serving(target, { clock, cache: cacheIn(answers.store), idempotency: keys })
    const both = async (times: number) => {
      for (let time = 0; time < times; time++) {
        await post({ temperature: 0 })
        const headers = { 'content-type': 'application/json', 'idempotency-key': `k${time}` }
        await post({ temperature: 1 }, { headers })
      }
    }
    const states = () => events.flatMap(event => (event.type === 'store' ? [event.state] : []))
    await both(6)
    expect(states()).toEqual(['failing'])
    answers.isDown = false
    await clock.pass(5_000)
    await post({ temperature: 0 })
    expect(states()).toEqual(['failing'])
    await both(2)
    expect(states()).toEqual(['failing', 'working'])
  })
})

describe('failing shared health', () => {
  it.each([
    ['another one', (clock: ManualClock) => ({ sharedHealth: scriptedSharedHealth(clock.monotonic) })],
    ['none', () => ({})],
  ])('fails no more after a reload that replaces it by %s', async (_, replacedBy) => {
    const clock = new ManualClock()
    const sharedHealth = Object.assign(scriptedSharedHealth(clock.monotonic), { fails: true })
    const { target } = scripted(() => whole('Hello.'))
    const { gateway, given, post, events } = serving(target, { clock, breaker: {}, sharedHealth })
    const states = () =>
      events.flatMap(event => (event.type === 'store' ? [`${event.store} ${event.state}`] : []))
    await post({})
    await clock.pass(3_000)
    expect(states()).toEqual(['health failing'])
    const { sharedHealth: _failing, ...others } = given
    gateway.reload({ ...others, ...replacedBy(clock) })
    expect(states()).toEqual(['health failing', 'health working'])
    sharedHealth.fails = false
    await post({})
    await clock.pass(3_000)
    expect(states()).toHaveLength(2)
  })
})

describe('a failing store of responses', () => {
  it('fails after a reload that keeps it, and no more after one that replaces it', async () => {
    const responses = breakable<ResponseStore>(memoryResponseStore())
    const { target } = scripted(() => whole('Hello.'))
    const { gateway, given, events } = serving(target, { responses: responses.store })
    const look = async () => {
      const request = new Request('http://sluice.test/v1/responses/resp_1', {
        headers: { authorization: 'Bearer k' },
      })
      return (await gateway.fetch(request)).status
    }
    const states = () =>
      events.flatMap(event => (event.type === 'store' ? [`${event.store} ${event.state}`] : []))
    for (let times = 0; times < 6; times++) expect(await look()).toBe(503)
    gateway.reload({ ...given, maxAttempts: 1 })
    expect(await look()).toBe(503)
    expect(states()).toEqual(['responses failing'])
    gateway.reload({ ...given, responses: memoryResponseStore() })
    expect(await look()).toBe(404)
    expect(states()).toEqual(['responses failing', 'responses working'])
  })
})

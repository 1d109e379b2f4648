import { describe, expect, it, vi } from 'vitest'
import { memoryCacheStore } from '../../src/caching/memory-cache-store.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { CacheStore } from '../../src/contracts/cache-store.ts'
import type { StoreEvent } from '../../src/contracts/events.ts'
import { budget, requests, tokens } from '../../src/rate-limiting/rule.ts'
import {
  chunks,
  eventsOf,
  forever,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'
import { scriptedLedger } from '../support/scripted-ledger.ts'

const exact = { temperature: 0 }
const numbered = () => scripted((_, index) => whole(`Answer ${index}.`))
const streaming = () => scripted((_, index) => stream([text('Answer ')], [text(`${index}.`)], [stop]))
const cacheOf = (response: Response) => response.headers.get('x-sluice-cache')

describe('a gateway with a cache', () => {
  it('gives a finished answer again, to the byte, and asks nobody', async () => {
    const { target, inputs } = numbered()
    const { post, ends } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
    const first = await post(exact)
    const second = await post(exact)
    expect([first.status, cacheOf(first), second.status, cacheOf(second)]).toEqual([200, 'miss', 200, 'hit'])
    expect(await second.text()).toBe(await first.text())
    expect(second.headers.get('content-type')).toBe('application/json')
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(second.headers.get('cache-control')).toBe('no-store')
    expect(inputs).toHaveLength(1)
    expect(ends()).toMatchObject([
      { cache: 'miss', outcome: 'completed', usage: { prompt_tokens: 3 } },
      { cache: 'hit', outcome: 'completed', status: 200, usage: undefined, cost: null, attempts: [] },
    ])
  })

  it('gives a finished stream again, with the same events and its end mark', async () => {
    const { target, inputs } = streaming()
    const { post, ends } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
    const asked = { ...exact, stream: true, stream_options: { include_usage: true } }
    const first = await post(asked)
    const told = await first.text()
    const second = await post(asked)
    expect([cacheOf(first), cacheOf(second)]).toEqual(['miss', 'hit'])
    expect(second.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await second.text()).toBe(told)
    expect(eventsOf(told).at(-1)).toBe('[DONE]')
    expect(inputs).toHaveLength(1)
    expect(ends()[1]).toMatchObject({ cache: 'hit', stream: true, outcome: 'completed', usage: undefined })
  })

  it.each([
    [
      'system',
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hello!' },
        ],
      },
    ],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['seed', { seed: 1 }],
    ['stop', { stop: 'x' }],
    ['max_tokens', { max_tokens: 5 }],
    ['user', { user: 'bob' }],
    ['metadata', { metadata: { a: 'b' } }],
    ['stream', { stream: true }],
  ])('does not give it to a request with another %s', async (_, other) => {
    const { target, inputs } = scripted(() =>
      inputs.at(-1)?.stream === true ? stream([text('a')], [stop]) : whole('b'),
    )
    const { post } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
    await (await post(exact)).text()
    const got = await post({ ...exact, ...other })
    expect([got.status, cacheOf(got)]).toEqual([200, 'miss'])
    await got.text()
    expect(inputs).toHaveLength(2)
  })

  it.each([
    ['no temperature', {}],
    ['another temperature', { temperature: 0.1 }],
    ['two choices', { ...exact, n: 2 }],
    ['a field that the protocol does not know', { ...exact, top_k: 1 }],
    ['a search of the web', { ...exact, web_search_options: {} }],
    ['an answer that the vendor is to store', { ...exact, store: true }],
  ])('does not touch a request with %s', async (_, asked) => {
    const { target, inputs } = scripted(() => whole('a'))
    const store = memoryCacheStore()
    const { post, ends } = serving(target, { cache: responseCache({ ttlMs: 60_000, store }) })
    for (let times = 0; times < 2; times++) {
      const got = await post(asked)
      expect([got.status, cacheOf(got)]).toEqual([200, null])
    }
    expect([inputs.length, store.bytes]).toEqual([2, 0])
    expect(ends().map(({ cache }) => cache)).toEqual([undefined, undefined])
  })

  it('caches what `cacheable` says, in place of its own rule', async () => {
    const { target, inputs } = numbered()
    const cacheable = vi.fn(() => true)
    const { post } = serving(target, { cache: responseCache({ ttlMs: 60_000, cacheable }) })
    for (let times = 0; times < 3; times++) await post({ temperature: 1, top_k: 1 })
    expect(inputs).toHaveLength(1)
    expect(cacheable).toHaveBeenCalledWith(expect.objectContaining({ top_k: 1 }), { id: 'ann' })
  })

  it('keeps answers of two principals apart, and shares them in a group', async () => {
    let id = 'ann'
    const authenticate = () => ({ id, tags: { team: id === 'eve' ? 'b' : 'a' } })
    const asking = async (cache: ReturnType<typeof responseCache>) => {
      const { target } = numbered()
      const { post } = serving(target, { authenticate, cache })
      const seen: (string | null)[] = []
      for (id of ['ann', 'bob', 'eve', 'ann']) seen.push(cacheOf(await post(exact)))
      return seen
    }
    expect(await asking(responseCache({ ttlMs: 60_000 }))).toEqual(['miss', 'miss', 'miss', 'hit'])
    const shared = responseCache({ ttlMs: 60_000, scope: principal => principal.tags?.team })
    expect(await asking(shared)).toEqual(['miss', 'hit', 'miss', 'hit'])
    const none = responseCache({ ttlMs: 60_000, scope: () => undefined })
    expect(await asking(none)).toEqual([null, null, null, null])
  })

  it('never takes the name of a group for a principal of that name', async () => {
    const store = memoryCacheStore()
    const { target, inputs } = numbered()
    const group = serving(target, { cache: responseCache({ ttlMs: 60_000, store, scope: () => 'ann' }) })
    const own = serving(target, { cache: responseCache({ ttlMs: 60_000, store }) })
    await group.post(exact)
    expect(cacheOf(await own.post(exact))).toBe('miss')
    expect(inputs).toHaveLength(2)
  })

  it.each([
    ['scope', { scope: (() => 7) as unknown as () => string }],
    ['cacheable', { cacheable: (async () => true) as unknown as () => boolean }],
  ])('is a 500 where `%s` gives what is no answer: nothing is shared by mistake', async (name, options) => {
    const { target, inputs } = numbered()
    const { post, ends } = serving(target, { cache: responseCache({ ttlMs: 60_000, ...options }) })
    expect((await post(exact)).status).toBe(500)
    expect(String(ends()[0]?.error)).toContain(name)
    expect(inputs).toHaveLength(0)
  })

  it('waits for a key as long as for any policy', async () => {
    const { target, inputs } = numbered()
    const cache = { ...responseCache({ ttlMs: 60_000 }), keyOf: () => new Promise<never>(() => {}) }
    const { post, ends } = serving(target, { cache, timeouts: { policyMs: 20 } })
    expect((await post(exact)).status).toBe(500)
    expect(String(ends()[0]?.error)).toContain('cache timed out after 20 ms')
    expect(inputs).toHaveLength(0)
  })

  it('asks anew once the time of an answer is over', async () => {
    const clock = { now: 0 }
    const { target } = numbered()
    const store = memoryCacheStore({ now: () => clock.now })
    const { post } = serving(target, { cache: responseCache({ ttlMs: 1_000, store }) })
    const seen: (string | null)[] = []
    for (clock.now of [0, 1_000, 1_002, 2_001]) seen.push(cacheOf(await post(exact)))
    expect(seen).toEqual(['miss', 'hit', 'miss', 'hit'])
  })

  it('hears `cache-control` of the request', async () => {
    const { target } = numbered()
    const { post } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
    const asking = async (control: string) => {
      const headers = { 'content-type': 'application/json', 'cache-control': control }
      const got = await post(exact, { headers })
      return [cacheOf(got), JSON.parse(await got.text()).choices[0].message.content]
    }
    expect(await asking('no-store')).toEqual(['miss', 'Answer 0.'])
    expect(await asking('max-age=60')).toEqual(['miss', 'Answer 1.'])
    expect(await asking('No-Cache')).toEqual(['miss', 'Answer 2.'])
    expect(await asking('no-store, private')).toEqual(['hit', 'Answer 2.'])
    expect(await asking('no-cache, no-store')).toEqual(['miss', 'Answer 3.'])
    expect(await asking('')).toEqual(['hit', 'Answer 2.'])
  })

  it('gives room back that a hit does not use, and counts it as a request', async () => {
    const settled: unknown[] = []
    const limit = {
      admit: () => ({ headers: { 'x-room': '1' }, settle: (...used: unknown[]) => void settled.push(used) }),
    }
    const ledger = scriptedLedger()
    const { target } = numbered()
    const { post } = serving(target, {
      limits: limit,
      ledger,
      prices: () => 2,
      cache: responseCache({ ttlMs: 60_000 }),
    })
    await post(exact)
    const hit = await post(exact)
    expect(hit.headers.get('x-room')).toBe('1')
    expect(settled).toEqual([
      [expect.objectContaining({ total_tokens: 5 }), 2],
      [undefined, null],
    ])
    expect(ledger.closings).toMatchObject([
      { outcome: 'completed', attempts: 1, charge: { cost: 2 } },
      { outcome: 'completed', status: 200, attempts: 0, charge: undefined, provider: undefined },
    ])
  })

  it('spends requests and neither tokens nor money by hits', async () => {
    const { target } = numbered()
    const { post } = serving(target, {
      limits: [requests(100).per('day'), tokens(10_000).per('day'), budget(1, 'usd').per('day')],
      prices: () => 0.4,
      cache: responseCache({ ttlMs: 60_000 }),
    })
    const seen: unknown[] = []
    for (let times = 0; times < 5; times++) {
      const { status, headers } = await post(exact)
      seen.push([status, headers.get('x-ratelimit-remaining-requests')])
    }
    expect(seen).toEqual([99, 98, 97, 96, 95].map(left => [200, String(left)]))
    // It is the money of answers that were made: the second one made is more than is left.
    expect((await post({ ...exact, seed: 1 })).status).toBe(200)
    expect((await post({ ...exact, seed: 2 })).status).toBe(429)
  })

  it('tells again what was adjusted for the answer', async () => {
    const { target } = scripted(() => whole('a'), {
      encode: () => ({
        method: 'POST',
        url: 'scripted:',
        headers: {},
        adjustments: [{ parameter: 'seed', action: 'dropped', detail: 'not there' }],
      }),
    })
    const { post, ends } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
    const told = [await post(exact), await post(exact)].map(({ headers }) =>
      headers.get('x-sluice-adjustments'),
    )
    expect(told[0]).toContain('seed')
    expect(told[1]).toBe(told[0])
    expect(ends()[1]?.adjustments).toEqual(ends()[0]?.adjustments)
  })

  it('keeps no answer that is too large', async () => {
    const { target } = scripted((_, index) =>
      index < 2 ? whole('a'.repeat(2_000)) : stream([text('é'.repeat(400))], [text('é'.repeat(400))], [stop]),
    )
    const store = memoryCacheStore()
    const { post } = serving(target, { cache: responseCache({ ttlMs: 60_000, maxBytes: 1_500, store }) })
    for (const asked of [exact, exact, { ...exact, stream: true }, { ...exact, stream: true }]) {
      const got = await post(asked)
      expect(cacheOf(got)).toBe('miss')
      await got.text()
    }
    expect(store.bytes).toBe(0)
  })

  it('keeps none that was refused, broke off, or whose reader left', async () => {
    const store = memoryCacheStore()
    const answers = [
      () => whole(''),
      () => stream(new Error('cut')),
      () => stream([text('a')], new Error('cut')),
      (signal: AbortSignal) => ({
        kind: 'stream' as const,
        chunks: (async function* () {
          yield* chunks([text('a')])
          await forever(signal)
        })(),
      }),
      () => {
        throw new Error('broken')
      },
    ]
    const { target } = scripted((signal, index) => answers[index + 1]!(signal))
    const { post, ends } = serving(target, {
      cache: responseCache({ ttlMs: 60_000, store }),
      retry: false,
    })
    const asked = { ...exact, stream: true }
    for (let index = 0; index < 2; index++) expect(await (await post(asked)).text()).not.toContain('[DONE]')
    const reader = (await post(asked)).body!.getReader()
    await reader.read()
    await reader.cancel()
    expect((await post(exact)).status).toBeGreaterThanOrEqual(500)
    await turn()
    expect(store.bytes).toBe(0)
    expect(ends().map(({ outcome, cache }) => [outcome, cache])).toEqual([
      ['upstream_failed', 'miss'],
      ['upstream_failed', 'miss'],
      ['client_disconnected', 'miss'],
      [expect.any(String), 'miss'],
    ])
  })

  it('takes no harm where the reader of a replay leaves or the gateway closes', async () => {
    const long = 'x'.repeat(10_000)
    const { target, inputs } = scripted(() =>
      stream(...Array.from({ length: 9 }, (_, n) => [text(`${n}${long}`)]), [stop]),
    )
    const { gateway, post, ends } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
    const asked = { ...exact, stream: true }
    const told = await (await post(asked)).text()

    const left = (await post(asked)).body!.getReader()
    await left.read()
    await left.cancel()
    const stalled = await post(asked)
    const slow = stalled.body!.getReader()
    await slow.read()
    expect(await (await post(asked)).text()).toBe(told)
    await gateway.close({ drainMs: 1 })
    let rest = ''
    for (let next = await slow.read(); next.done !== true; next = await slow.read()) {
      rest += new TextDecoder().decode(next.value)
    }
    expect(eventsOf(rest).at(-1)).toMatchObject({ error: { code: 'server_is_overloaded' } })
    expect(rest).not.toContain('[DONE]')
    expect(inputs).toHaveLength(1)
    expect(ends().map(({ outcome, cache }) => [outcome, cache])).toEqual([
      ['completed', 'miss'],
      ['client_disconnected', 'hit'],
      ['completed', 'hit'],
      ['gateway_closed', 'hit'],
    ])
  })

  it('has every answer in the store when it is closed', async () => {
    const kept: string[] = []
    const { post, gateway } = serving(numbered().target, {
      cache: responseCache({
        ttlMs: 60_000,
        store: scriptedStore({
          set: async (_, text) => {
            await turn()
            kept.push(text)
          },
        }),
      }),
    })
    await post(exact)
    await gateway.close()
    expect(kept).toHaveLength(1)
  })
})

describe('a cache whose store fails', () => {
  const failure = new Error('down')
  const storeEvents = (events: readonly { type: string }[]) =>
    events.filter((event): event is StoreEvent => event.type === 'store')

  it.each([
    ['rejects', () => Promise.reject(failure)],
    [
      'throws',
      () => {
        throw failure
      },
    ],
    ['never answers', () => new Promise<never>(() => {})],
  ])('is a miss where it %s; after five it is asked no more, which is told once', async (_, get) => {
    const asked = vi.fn(get)
    const { post, events } = serving(numbered().target, {
      cache: responseCache({ ttlMs: 60_000, store: scriptedStore({ get: asked }) }),
    })
    for (let times = 0; times < 12; times++) {
      const got = await post({ ...exact, cache: times })
      expect([got.status, cacheOf(got)]).toEqual([200, null])
    }
    for (let times = 0; times < 12; times++) {
      const got = await post(exact)
      expect([got.status, cacheOf(got)]).toEqual([200, 'miss'])
    }
    expect(asked.mock.calls.length).toBeLessThanOrEqual(8)
    expect(storeEvents(events)).toMatchObject([{ store: 'answers', state: 'failing' }])
  })

  it('is used again when it works again', async () => {
    let down = true
    const memory = memoryCacheStore()
    const store = scriptedStore({
      get: key => (down ? Promise.reject(failure) : memory.get(key)),
      set: (key, text, lifetime) => (down ? Promise.reject(failure) : memory.set(key, text, lifetime)),
    })
    const { post, events } = serving(numbered().target, { cache: responseCache({ ttlMs: 60_000, store }) })
    for (let times = 0; times < 6; times++) await post(exact)
    down = false
    await vi.waitFor(async () => expect(cacheOf(await post(exact))).toBe('hit'), { timeout: 5_000 })
    expect(storeEvents(events).map(({ state }) => state)).toEqual(['failing', 'working'])
  })

  it.each([
    '',
    'no JSON',
    '{}',
    '[]',
    'null',
    '{"stream":false}',
    '{"stream":true,"text":"x","adjustments":[]}',
  ])('is a miss where %j is kept', async text => {
    const { post } = serving(numbered().target, {
      cache: responseCache({ ttlMs: 60_000, store: scriptedStore({ get: () => text }) }),
    })
    const got = await post(exact)
    expect([got.status, cacheOf(got)]).toEqual([200, 'miss'])
  })

  it.each([
    { name: 'a text', given: '' },
    { name: 'nothing', given: {} },
    { name: 'no time', given: { ...responseCache({ ttlMs: 1 }), ttlMs: 0 } },
    { name: 'no store', given: { ...responseCache({ ttlMs: 1 }), store: {} } },
  ])('is no option: $name', ({ given }) => {
    expect(() => serving(numbered().target, { cache: given as never })).toThrow(
      /cache: got .*, expected a cache, such as responseCache/,
    )
  })
})

function scriptedStore(parts: Partial<CacheStore>): CacheStore {
  return { get: () => undefined, set() {}, add: () => 'added', replace: () => true, ...parts }
}

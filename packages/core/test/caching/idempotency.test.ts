import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import { memoryCacheStore } from '../../src/caching/memory-cache-store.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { CacheStore } from '../../src/contracts/cache-store.ts'
import type { StoreEvent } from '../../src/contracts/events.ts'
import type { Reply } from '../../src/contracts/provider.ts'
import {
  chunks,
  forever,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'

const numbered = () => scripted((_, index) => whole(`Answer ${index}.`))
const keyed = (key: string) => ({
  headers: { 'content-type': 'application/json', 'idempotency-key': key },
})
const replayed = (response: Response) => response.headers.get('idempotency-replayed')

async function told(response: Response): Promise<[number, unknown]> {
  const body = JSON.parse(await response.text())
  return [response.status, body.error?.code ?? body.choices?.[0].message.content]
}

describe('a gateway with idempotency', () => {
  it('answers a key once: the same request gets the same answer, and takes no room', async () => {
    const admit = vi.fn(() => ({ headers: { 'x-room': '1' }, settle() {} }))
    const { target, inputs } = numbered()
    const { post, ends } = serving(target, { idempotency: idempotency(), limits: { admit } })
    const first = await post({ a: 1, b: 2 }, keyed('k'))
    const again = await post({ b: 2, a: 1 }, keyed('k'))
    expect([replayed(first), replayed(again)]).toEqual([null, 'true'])
    expect([first.headers.get('x-room'), again.headers.get('x-room')]).toEqual(['1', null])
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(await again.text()).toBe(await first.text())
    expect([inputs.length, admit.mock.calls.length]).toEqual([1, 1])
    expect(ends()).toMatchObject([
      { replayed: false, usage: { prompt_tokens: 3 } },
      { replayed: true, outcome: 'completed', status: 200, usage: undefined, attempts: [] },
    ])
  })

  it('answers a stream once, with the same events', async () => {
    const { target, inputs } = scripted(() => stream([text('a')], [text('b')], [stop]))
    const { post } = serving(target, { idempotency: idempotency() })
    const first = await (await post({ stream: true }, keyed('k'))).text()
    const again = await post({ stream: true }, keyed('k'))
    expect(again.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await again.text()).toBe(first)
    expect(inputs).toHaveLength(1)
  })

  it('does not read the header where it is off, and leaves requests without it alone', async () => {
    const { target, inputs } = numbered()
    const off = serving(target)
    const on = serving(target, { idempotency: idempotency() })
    for (const asking of [() => off.post({}, keyed('k')), () => off.post({}, keyed('')), () => on.post({})]) {
      for (let times = 0; times < 2; times++) expect(replayed(await asking())).toBeNull()
    }
    expect(inputs).toHaveLength(6)
  })

  it('refuses a key that comes with another body', async () => {
    const { target, inputs } = numbered()
    const { post } = serving(target, { idempotency: idempotency() })
    await post({}, keyed('k'))
    for (const other of [{ temperature: 0 }, { stream: true }, { user: 'x' }, { messages: [] }]) {
      expect(await told(await post(other, keyed('k')))).toEqual([422, 'idempotency_key_reused'])
    }
    expect(await told(await post({}, keyed('k')))).toEqual([200, 'Answer 0.'])
    expect(await told(await post({}, keyed('K')))).toEqual([200, 'Answer 1.'])
    expect(inputs).toHaveLength(2)
  })

  it('replays what was stored before there were several dialects', async () => {
    const { target, inputs } = numbered()
    const body = '{"messages":[{"content":"Hi","role":"user"}],"model":"m"}'
    const stored = {
      requestId: 'req_old',
      fingerprint: createHash('sha256').update(`${body.length}:${body}`).digest('hex'),
      answer: { stream: false, text: '{"choices":[{"message":{"content":"old"}}]}', adjustments: [] },
    }
    const store = over(memoryCacheStore(), { add: () => ({ existing: JSON.stringify(stored) }) })
    const { post } = serving(target, { idempotency: idempotency({ store }) })
    expect(await told(await post(JSON.parse(body), keyed('k')))).toEqual([200, 'old'])
    expect(inputs).toHaveLength(0)
  })

  it('has a key for each principal: nobody takes, sees or holds up the key of another', async () => {
    let id = 'ann'
    const { target, inputs } = numbered()
    const { post } = serving(target, { authenticate: () => ({ id }), idempotency: idempotency() })
    const answers: unknown[] = []
    for (id of ['ann', 'bob', 'ann', 'bob']) answers.push((await told(await post({}, keyed('k'))))[1])
    id = 'eve'
    answers.push((await told(await post({ user: 'other' }, keyed('k'))))[1])
    expect(answers).toEqual(['Answer 0.', 'Answer 1.', 'Answer 0.', 'Answer 1.', 'Answer 2.'])
    expect(inputs).toHaveLength(3)
  })

  it('refuses a repeat while the first one runs, also one with another body', async () => {
    let release: (reply: Reply) => void = () => {}
    const { target, inputs } = scripted(
      () =>
        new Promise<Reply>(resolve => {
          release = resolve
        }),
    )
    const { post } = serving(target, { idempotency: idempotency() })
    const first = post({}, keyed('k'))
    await expect.poll(() => inputs).toHaveLength(1)
    const repeat = await post({}, keyed('k'))
    expect([repeat.headers.get('retry-after'), repeat.headers.get('x-should-retry')]).toEqual(['1', null])
    expect(await told(repeat)).toEqual([409, 'idempotency_in_progress'])
    expect(await told(await post({ user: 'x' }, keyed('k')))).toEqual([422, 'idempotency_key_reused'])
    release(whole('done'))
    expect(await told(await first)).toEqual([200, 'done'])
    expect(await told(await post({}, keyed('k')))).toEqual([200, 'done'])
    expect(inputs).toHaveLength(1)
  })

  it('lets one of many at once through', async () => {
    const { target, inputs } = numbered()
    const { post } = serving(target, { idempotency: idempotency() })
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await post({}, keyed('k'))).status),
    )
    expect(inputs).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set([200, 409]))
  })

  it.each([
    ['is refused', () => whole('x'), { messages: [] }, {}],
    ['finds no room', () => whole('x'), {}, { limits: { admit: () => Promise.reject(new Error('full')) } }],
    [
      'fails upstream',
      () => {
        throw new Error('broken')
      },
      {},
      {},
    ],
    ['breaks off', () => stream([text('a')], new Error('cut')), { stream: true }, {}],
  ])('frees the key of a request that %s', async (_, answer, body, options) => {
    const store = memoryCacheStore()
    const { target } = scripted(answer)
    const { post } = serving(target, { idempotency: idempotency({ store }), retry: false, ...options })
    const seen: number[] = []
    for (let times = 0; times < 2; times++) {
      const got = await post(body, keyed('k'))
      await got.text()
      seen.push(got.status)
      expect(replayed(got)).toBeNull()
    }
    expect(seen[0]).toBe(seen[1])
    expect(store.bytes).toBe(0)
  })

  it('frees the key of a client that leaves: before the answer, in its middle, and while the key is asked for', async () => {
    const store = memoryCacheStore()
    const { target, inputs } = scripted((signal, index) =>
      index === 0
        ? forever(signal)
        : {
            kind: 'stream',
            chunks: (async function* () {
              yield* chunks([text('a')])
              if (index === 1) await forever(signal)
              yield* chunks([stop])
            })(),
          },
    )
    let gate: Promise<unknown> = Promise.resolve()
    const slow = over(store, {
      add: async (key, text, lifetime) => {
        const kept = store.add(key, text, lifetime)
        await gate
        return kept
      },
    })
    const { post, ends } = serving(target, { idempotency: idempotency({ store: slow }) })

    const early = new AbortController()
    const waiting = post({ stream: true }, { ...keyed('k'), signal: early.signal })
    await expect.poll(() => inputs).toHaveLength(1)
    early.abort()
    await waiting
    await expect.poll(() => store.bytes).toBe(0)

    const reader = (await post({ stream: true }, keyed('k'))).body!.getReader()
    await reader.read()
    expect(store.bytes).toBeGreaterThan(0)
    await reader.cancel()
    await expect.poll(() => store.bytes).toBe(0)

    let open: (value?: unknown) => void = () => {}
    gate = new Promise(resolve => {
      open = resolve
    })
    const sooner = new AbortController()
    const asking = post({ stream: true }, { ...keyed('k'), signal: sooner.signal })
    await expect.poll(() => store.bytes).toBeGreaterThan(0)
    sooner.abort()
    await asking
    open()
    await expect.poll(() => store.bytes).toBe(0)

    expect(await (await post({ stream: true }, keyed('k'))).text()).toContain('[DONE]')
    expect(ends().map(({ outcome }) => outcome)).toEqual([
      'client_disconnected',
      'client_disconnected',
      'client_disconnected',
      'completed',
    ])
  })

  it('tells of an answer that was too large to be kept, and that there is no use in trying again', async () => {
    const { target, inputs } = scripted(() => whole('a'.repeat(2_000)))
    const { post } = serving(target, { idempotency: idempotency({ maxBytes: 1_000 }) })
    const first = await post({}, keyed('k'))
    expect(first.status).toBe(200)
    const again = await post({}, keyed('k'))
    expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false'])
    const { error } = JSON.parse(await again.text())
    expect(error.code).toBe('already_processed')
    expect(error.message).toContain(first.headers.get('x-request-id'))
    expect(inputs).toHaveLength(1)
  })

  it('keeps an answer for its time', async () => {
    const clock = { now: 0 }
    const store = memoryCacheStore({ now: () => clock.now })
    const { post } = serving(numbered().target, { idempotency: idempotency({ store, ttlMs: 1_000 }) })
    const answers: unknown[] = []
    for (clock.now of [0, 1_000, 1_001]) answers.push((await told(await post({}, keyed('k'))))[1])
    expect(answers).toEqual(['Answer 0.', 'Answer 0.', 'Answer 1.'])
  })

  it.each([
    ['', '0 characters'],
    [' ', '0 characters'],
    ['a b', '3 with others'],
    ['é', '1 with others'],
    ['x'.repeat(256), '256 characters'],
    ['a, b', '4 with others'],
  ])('refuses %j as a key', async (key, size) => {
    const { target, inputs } = numbered()
    const { post } = serving(target, { idempotency: idempotency() })
    const got = await post({}, keyed(key))
    const { error } = JSON.parse(await got.text())
    expect([got.status, error.code, error.param]).toEqual([400, 'invalid_value', null])
    expect(error.message).toContain(
      `'idempotency-key': expected 1 to 255 visible ASCII characters, but got ${size}`,
    )
    expect(inputs).toHaveLength(0)
  })

  it.each(['x', 'x'.repeat(255), '"8e03978e-40d5-43e8-bc93-6894a57f9324"', '~!*'])('takes %j', async key => {
    const { post } = serving(numbered().target, { idempotency: idempotency() })
    expect((await post({}, keyed(key))).status).toBe(200)
    expect(replayed(await post({}, keyed(key)))).toBe('true')
  })

  it('goes with a cache: what comes from there is kept under the key too', async () => {
    const store = memoryCacheStore()
    const { target, inputs } = scripted((_, index) => stream([text(`${index}`)], [stop]))
    const { post, ends } = serving(target, {
      cache: responseCache({ ttlMs: 60_000, store }),
      idempotency: idempotency({ store }),
    })
    const asked = { temperature: 0, stream: true }
    const answers = new Set<string>()
    for (const init of [undefined, keyed('k'), keyed('k'), keyed('other')]) {
      answers.add(await (await post(asked, init)).text())
    }
    expect([answers.size, inputs.length]).toEqual([1, 1])
    expect(ends().map(({ cache, replayed }) => [cache, replayed])).toEqual([
      ['miss', false],
      ['hit', false],
      [undefined, true],
      ['hit', false],
    ])
  })

  it('has every answer in the store when it is closed', async () => {
    const memory = memoryCacheStore()
    const store = over(memory, {
      replace: async (...given) => {
        await turn()
        return memory.replace(...given)
      },
    })
    const one = serving(numbered().target, { idempotency: idempotency({ store }) })
    await one.post({}, keyed('k'))
    await one.gateway.close()
    const other = serving(scripted(() => whole('other')).target, { idempotency: idempotency({ store }) })
    expect(await told(await other.post({}, keyed('k')))).toEqual([200, 'Answer 0.'])
  })
})

describe('idempotency whose store fails', () => {
  const failing = (): CacheStore => ({
    get: () => Promise.reject(new Error('down')),
    set: () => Promise.reject(new Error('down')),
    add: () => Promise.reject(new Error('down')),
    replace: () => Promise.reject(new Error('down')),
  })

  it('refuses requests with a key, and tells of it once', async () => {
    const { target, inputs } = numbered()
    const { post, events } = serving(target, { idempotency: idempotency({ store: failing() }) })
    for (let times = 0; times < 8; times++) {
      const got = await post({}, keyed('k'))
      expect(got.headers.get('retry-after')).toBe('1')
      expect(await told(got)).toEqual([503, 'idempotency_unavailable'])
    }
    expect((await post({})).status).toBe(200)
    expect(inputs).toHaveLength(1)
    expect(events.filter((event): event is StoreEvent => event.type === 'store')).toMatchObject([
      { store: 'answers', state: 'failing' },
    ])
  })

  it('answers them as without one where it is open', async () => {
    const { target, inputs } = numbered()
    const { post } = serving(target, {
      idempotency: idempotency({ store: failing(), onStoreFailure: 'open' }),
    })
    for (let times = 0; times < 3; times++) expect((await post({}, keyed('k'))).status).toBe(200)
    expect(inputs).toHaveLength(3)
  })

  it.each(['x', '{}', '{"requestId":"r","fingerprint":"f","answer":"?"}'])(
    'does not take %j, which it finds there, for an answer',
    async found => {
      const { post } = serving(numbered().target, {
        idempotency: idempotency({ store: over(memoryCacheStore(), { add: () => ({ existing: found }) }) }),
      })
      expect(await told(await post({}, keyed('k')))).toEqual([503, 'idempotency_unavailable'])
    },
  )

  it('knows its own key, which a client added twice because its connection broke', async () => {
    const memory = memoryCacheStore()
    const { target } = numbered()
    const store = over(memory, {
      add: (...given) => {
        memory.add(...given)
        return memory.add(...given)
      },
    })
    const { post } = serving(target, { idempotency: idempotency({ store }) })
    expect(await told(await post({}, keyed('k')))).toEqual([200, 'Answer 0.'])
    expect(await told(await post({}, keyed('k')))).toEqual([200, 'Answer 0.'])
  })

  it.each([1, 2])('takes back a key that it got too late to hear of, added %i times', async times => {
    const memory = memoryCacheStore()
    let first = true
    let hear = () => {}
    const store = over(memory, {
      add: async (key, text, lifetime) => {
        if (!first) return memory.add(key, text, lifetime)
        first = false
        if (times > 1) memory.add(key, text, lifetime)
        const kept = memory.add(key, text, lifetime)
        await new Promise<void>(resolve => {
          hear = resolve
        })
        return kept
      },
    })
    const { post } = serving(numbered().target, { idempotency: idempotency({ store }) })
    expect((await post({}, keyed('k'))).status).toBe(503)
    hear()
    await expect.poll(() => memory.bytes).toBe(0)
    expect((await post({}, keyed('k'))).status).toBe(200)
  })

  it.each([
    [{ ttlMs: 0 }, 'ttlMs'],
    [{ ttlMs: Number.POSITIVE_INFINITY }, 'ttlMs'],
    [{ maxBytes: 1.5 }, 'maxBytes'],
    [{ store: {} as CacheStore }, 'store'],
    [{ onStoreFailure: 'local' as 'open' }, 'onStoreFailure'],
    [{ ttl: 1 } as object, 'ttl'],
  ])('does not take the options %j', (options, name) => {
    expect(() => idempotency(options)).toThrow(TypeError)
    expect(() => idempotency(options)).toThrow(new RegExp(`idempotency\\(\\): ${name}: got .*, expected`))
  })

  it.each(['', {}, { ...idempotency(), onStoreFailure: undefined }])('is no option: %j', given => {
    expect(() => serving(numbered().target, { idempotency: given as never })).toThrow(
      /idempotency: got .*, expected the result of idempotency\(\)/,
    )
  })
})

function over(store: CacheStore, parts: Partial<CacheStore>): CacheStore {
  return { get: store.get, set: store.set, add: store.add, replace: store.replace, ...parts }
}

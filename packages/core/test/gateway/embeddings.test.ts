import { describe, expect, it } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { EmbedReply, Target } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { budget, requests, tokens } from '../../src/rate-limiting/rule.ts'
import type { ModelEntry } from '../../src/routing/combined-route.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { hedge } from '../../src/routing/hedge.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { embedded, embedder, vectorOf } from '../support/scripted-embedder.ts'
import { forever, scripted, serving, turn, whole } from '../support/scripted-gateway.ts'
import { scriptedLedger } from '../support/scripted-ledger.ts'

/** A gateway that embeds, and what it answers. */
function embedding(entry: Exclude<ModelEntry<'m'>, string>, options: Partial<GatewayOptions> = {}) {
  const served = serving(embedder().target, { route: models({ m: entry }), ...options })
  const post = (body: object, init: RequestInit = {}) =>
    served.gateway.fetch(
      new Request('http://sluice.test/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
        ...init,
      }),
    )
  const vectors = async (body: object, init?: RequestInit) =>
    (await (await post(body, init)).json()).data.map(({ embedding }: { embedding: unknown }) => embedding)
  return { ...served, post, vectors }
}

const unavailable = () => {
  throw new UpstreamError('It is busy.', { kind: 'refused', status: 503 })
}
const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64')
const texts = (count: number) => Array.from({ length: count }, (_, index) => 'x'.repeat(index + 1))

describe('embeddings', () => {
  it('are answered in the shape of the protocol, and told to observers', async () => {
    const upstream = embedder()
    const { post, events, ends } = embedding(upstream.target, {
      prices: ({ prompt_tokens }) => prompt_tokens,
    })
    const response = await post({ input: ['one', 'three'], user: 'eve' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [3, 0.5] },
        { object: 'embedding', index: 1, embedding: [5, 0.5] },
      ],
      model: 'm',
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
    expect(upstream.calls).toMatchObject([{ model: 'embed-1', inputs: ['one', 'three'] }])
    const known = { operation: 'embed', dialect: 'embeddings', model: 'm', stream: false }
    expect(events[0]).toMatchObject({ type: 'begin', ...known })
    expect(ends()).toMatchObject([
      {
        ...known,
        outcome: 'completed',
        user: 'eve',
        usage: { prompt_tokens: 2, completion_tokens: 0, total_tokens: 2 },
        usageEstimated: false,
        cost: 2,
        attempts: [{ provider: 'embedder', model: 'embed-1', called: true, why: 'first', error: undefined }],
      },
    ])
  })

  it.each<[string, EmbedReply['vectors'][number]]>([
    ['JSON', { kind: 'json', text: '[0.5,-2]' }],
    ['base64', { kind: 'base64', text: base64(0.5, -2) }],
    ['numbers', { kind: 'values', values: [0.5, -2] }],
  ])('have the encoding that was asked for, of a vendor that writes %s', async (_, vector) => {
    const { vectors } = embedding(embedder(() => ({ vectors: [vector], promptTokens: 1 })).target)
    expect(await vectors({ input: 'a' })).toEqual([[0.5, -2]])
    expect(await vectors({ input: 'a', encoding_format: 'float' })).toEqual([[0.5, -2]])
    expect(await vectors({ input: 'a', encoding_format: 'base64' })).toEqual([base64(0.5, -2)])
  })

  it('count the tokens themselves where the vendor does not: ids exactly', async () => {
    const upstream = embedder(({ inputs }) => ({ vectors: inputs.map(vectorOf) }))
    const { post, ends } = embedding(upstream.target)
    const usage = async (input: unknown) => (await (await post({ input })).json()).usage
    expect(await usage('12345678')).toEqual({ prompt_tokens: 2, total_tokens: 2 })
    expect(await usage([[1, 2, 3], [4]])).toEqual({ prompt_tokens: 4, total_tokens: 4 })
    expect(ends().map(({ usageEstimated }) => usageEstimated)).toEqual([true, true])
  })

  it('are a 502 of a vendor that answers another number of them', async () => {
    for (const count of [0, 1, 3]) {
      const upstream = embedder(() => ({ vectors: texts(count).map(vectorOf), promptTokens: 1 }))
      const response = await embedding(upstream.target).post({ input: ['a', 'b'] })
      expect([count, response.status, (await response.json()).error.code]).toEqual([
        count,
        502,
        'bad_gateway',
      ])
    }
  })

  it('are a 502 of a vendor that answers no vectors', async () => {
    const upstream = embedder(() => ({ vectors: [{ kind: 'json', text: '["a"]' }], promptTokens: 1 }))
    const { post, ends } = embedding(upstream.target)
    expect((await post({ input: 'a' })).status).toBe(502)
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed', usage: { prompt_tokens: 1 } }])
  })

  it('are retried, and refused as their vendor refuses them', async () => {
    const flaky = embedder((call, _, index) => (index === 0 ? unavailable() : embedded(call)))
    const { vectors, ends } = embedding(flaky.target, { retry: { baseMs: 1 } })
    expect(await vectors({ input: 'a' })).toEqual([[1, 0.5]])
    expect(ends()[0]!.attempts.map(({ why, status }) => [why, status])).toEqual([
      ['first', 503],
      ['retry', undefined],
    ])
    const strict = embedder(() => {
      throw new UpstreamError('Too long.', { kind: 'refused', status: 400, vendorMessage: 'Too long.' })
    })
    const refused = await embedding(strict.target).post({ input: 'a' })
    expect([refused.status, (await refused.json()).error.message]).toEqual([400, 'Too long.'])
  })

  it('are hedged', async () => {
    const slow = embedder((_, signal) => forever(signal))
    const quick = embedder(embedded, { name: 'quick' })
    const { vectors, events } = embedding(hedge(slow.target, quick.target, { afterMs: 5 }), {
      prices: ({ prompt_tokens }) => prompt_tokens,
    })
    expect(await vectors({ input: 'x'.repeat(12) })).toEqual([[12, 0.5]])
    expect(slow.signals[0]!.aborted).toBe(true)
    const discarded = events.filter(event => event.type === 'discarded_call')
    expect(discarded).toMatchObject([
      {
        operation: 'embed',
        attempt: { provider: 'embedder', why: 'first' },
        usage: { prompt_tokens: 3 },
        cost: 3,
      },
    ])
  })

  it('are mirrored to targets that embed, of any space', async () => {
    const shadow = embedder(({ inputs }) => ({ vectors: inputs.map(vectorOf), promptTokens: 40 }), {
      model: 'other',
    })
    const chat = scripted(() => whole('Hello'))
    const entry = mirror(mirror(embedder().target, shadow.target), chat.target)
    const { vectors, events, gateway } = embedding(entry, { prices: ({ prompt_tokens }) => prompt_tokens })
    expect(await vectors({ input: 'four' })).toEqual([[4, 0.5]])
    await gateway.close()
    expect(events.filter(event => event.type === 'discarded_call')).toMatchObject([
      { operation: 'embed', attempt: { model: 'other', why: 'shadow', error: undefined }, cost: 40 },
    ])
    expect(chat.inputs).toEqual([])
  })

  it('get the end user that their target is configured with', async () => {
    const kept = embedder()
    const hidden = embedder(embedded, { more: { parameters: { user: null, temperature: 0 } } })
    await embedding(kept.target).post({ input: 'a', user: 'eve' })
    const response = await embedding(hidden.target).post({ input: 'a', user: 'eve' })
    expect([kept, hidden].map(({ calls }) => calls[0]!.request.user)).toEqual(['eve', undefined])
    expect(response.headers.get('x-sluice-adjustments')).toContain('user')
  })
})

describe('embeddings in parts', () => {
  it('are split by the least maximum of their targets, a few at once, and answered in order', async () => {
    let running = 0
    let most = 0
    const upstream = embedder(
      async (call, _, index) => {
        running++
        most = Math.max(most, running)
        await new Promise(resolve => setTimeout(resolve, index % 3 === 0 ? 12 : 2))
        running--
        return embedded(call)
      },
      { maxInputs: 3 },
    )
    const wide = embedder(embedded, { name: 'wide' })
    const { vectors, ends } = embedding(fallback(upstream.target, wide.target))
    expect(await vectors({ input: texts(20) })).toEqual(texts(20).map(({ length }) => [length, 0.5]))
    expect(upstream.calls.map(({ inputs }) => inputs.length)).toEqual([3, 3, 3, 3, 3, 3, 2])
    expect(most).toBe(4)
    expect(ends()).toMatchObject([{ usage: { prompt_tokens: 20 }, usageEstimated: false }])
    expect(ends()[0]!.attempts).toHaveLength(7)
  })

  it('splits by tokens, too', async () => {
    const upstream = embedder(embedded, { maxInputs: 3, maxInputTokens: 20 })
    const { vectors } = embedding(upstream.target)
    const input = ['a'.repeat(30), 'b'.repeat(30), '日'.repeat(15), 'c'.repeat(300), 'd', 'e', 'f', 'g']
    expect(await vectors({ input })).toEqual(input.map(({ length }) => [length, 0.5]))
    expect(upstream.calls.map(({ inputs }) => inputs.length)).toEqual([2, 1, 1, 3, 1])
  })

  it('may be 2,048 calls', async () => {
    const { post, ends } = embedding(embedder(embedded, { maxInputs: 1 }).target)
    const { data, usage } = await (await post({ input: Array(2_048).fill('a') })).json()
    expect([data.length, data.at(-1).index, usage.total_tokens]).toEqual([2_048, 2_047, 2_048])
    expect(ends()[0]!.attempts).toHaveLength(2_048)
  })

  it('count once for limits of requests', async () => {
    const upstream = embedder(embedded, { maxInputs: 1 })
    const { post } = embedding(upstream.target, { limits: limits([requests(2).per('hour')]) })
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await post({ input: texts(5) })).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('fall back part by part, each at the price of its own target', async () => {
    const first = embedder((call, _, index) => (index === 1 ? unavailable() : embedded(call)), {
      maxInputs: 2,
    })
    const second = embedder(embedded, { name: 'second' })
    const ledger = scriptedLedger()
    const { vectors, ends } = embedding([first.target, second.target], {
      ledger,
      prices: ({ prompt_tokens }, { provider }) => prompt_tokens * (provider === 'second' ? 100 : 1),
    })
    expect(await vectors({ input: texts(6) })).toEqual(texts(6).map(({ length }) => [length, 0.5]))
    expect(second.calls).toMatchObject([{ inputs: ['xxx', 'xxxx'] }])
    expect(ends()).toMatchObject([{ usage: { prompt_tokens: 6 }, cost: 204 }])
    expect(ledger.closings).toMatchObject([
      { attempts: 4, charge: { promptTokens: 6, completionTokens: 0, cost: 204 }, outcome: 'completed' },
    ])
  })

  it('fail together: the others are cancelled, none is begun, and what was answered is charged', async () => {
    const upstream = embedder(
      (call, signal, index) => {
        if (index === 0) return embedded(call)
        return index < 3 ? forever(signal) : new Promise((_, reject) => setTimeout(() => reject(refusal), 20))
      },
      { maxInputs: 2 },
    )
    const refusal = new UpstreamError('Busy.', { kind: 'refused', status: 500 })
    const ledger = scriptedLedger()
    const { post, ends, events } = embedding(upstream.target, {
      ledger,
      prices: ({ prompt_tokens }) => prompt_tokens,
    })
    // Every text is 8 tokens by estimate, and 1 by the count of the vendor.
    const response = await post({ input: Array(20).fill('x'.repeat(32)) })
    expect(response.status).toBe(502)
    expect(upstream.calls).toHaveLength(5)
    expect(upstream.signals.map(({ aborted }) => aborted)).toEqual([false, true, true, true, true])
    // The first part by its count, and of those that were cancelled the estimate. The one that failed costs nothing.
    expect(ends()).toMatchObject([
      { outcome: 'upstream_failed', usage: { prompt_tokens: 2 + 3 * 16 }, usageEstimated: true, cost: 50 },
    ])
    expect(ledger.closings).toMatchObject([
      { outcome: 'upstream_failed', charge: { promptTokens: 50, cost: 50 } },
    ])
    await turn()
    expect(events.filter(({ type }) => type === 'discarded_call')).toEqual([])
  })

  it('name an input by its place in the request', async () => {
    const upstream = embedder(
      ({ inputs }) => {
        const at = inputs.indexOf('bad')
        if (at < 0) return embedded({ inputs })
        throw new UpstreamError('Bad.', {
          kind: 'refused',
          status: 400,
          code: 'invalid_value',
          param: `input[${at}]`,
          vendorMessage: `Invalid 'input[${at}]'.`,
        })
      },
      { maxInputs: 10 },
    )
    const { post } = embedding(upstream.target)
    for (const index of [3, 27]) {
      const response = await post({ input: texts(40).with(index, 'bad') })
      const { status } = response
      expect([status, (await response.json()).error]).toMatchObject([
        400,
        { code: 'invalid_value', param: `input[${index}]`, message: `Invalid 'input[${index}]'.` },
      ])
    }
  })

  it('are cancelled when the client leaves, and charged as far as they were called', async () => {
    const upstream = embedder((call, signal, index) => (index === 0 ? embedded(call) : forever(signal)), {
      maxInputs: 1,
    })
    const { post, ends, events } = embedding(upstream.target)
    const leaving = new AbortController()
    const responding = post({ input: texts(9) }, { signal: leaving.signal })
    await expect.poll(() => upstream.calls.length).toBe(5)
    leaving.abort()
    await responding.catch(() => {})
    await expect.poll(() => ends().length).toBe(1)
    expect(upstream.signals.slice(1).every(({ aborted }) => aborted)).toBe(true)
    await turn()
    expect(upstream.calls).toHaveLength(5)
    expect(ends()).toMatchObject([
      { outcome: 'client_disconnected', usage: { prompt_tokens: 1 + 1 + 1 + 1 + 2 } },
    ])
    expect(events.filter(({ type }) => type === 'discarded_call')).toEqual([])
  })

  it('have one deadline together', async () => {
    const upstream = embedder(
      async call => {
        await new Promise(resolve => setTimeout(resolve, 25))
        return embedded(call)
      },
      { maxInputs: 1 },
    )
    const { post } = embedding(upstream.target, { timeouts: { totalMs: 60 } })
    expect((await post({ input: texts(40) })).status).toBe(504)
    expect(upstream.calls.length).toBeLessThan(20)
  })

  it('report an adjustment that all of them need once', async () => {
    const adjustments = [{ parameter: 'user', action: 'dropped' }] as const
    const { post, ends } = embedding(embedder(embedded, { maxInputs: 1, adjustments }).target)
    const response = await post({ input: texts(3), user: 'eve' })
    expect(response.headers.get('x-sluice-adjustments')).toBe('"user";action=dropped')
    expect(ends()[0]!.adjustments).toEqual(adjustments)
  })

  it('are spans of their own, each with its usage', async () => {
    const spans: unknown[] = []
    const operations: string[] = []
    const { post } = embedding(embedder(embedded, { maxInputs: 2 }).target, {
      tracer: {
        start: (_, _id, operation) => {
          operations.push(operation)
          return {
            attempt: ({ model, input }) => ({
              end: ({ usage, outcome }) => void spans.push([model, input, usage?.prompt_tokens, outcome]),
            }),
            end: () => {},
          }
        },
      },
    })
    await post({ input: texts(3) })
    expect(operations).toEqual(['embed'])
    expect(spans).toEqual([
      ['embed-1', undefined, 2, 'answered'],
      ['embed-1', undefined, 1, 'answered'],
    ])
  })

  it('leave out a mirror that would have to split them further', async () => {
    const shadow = embedder(embedded, { maxInputs: 1 })
    const main = embedder()
    const { gateway, post } = embedding(mirror(main.target, shadow.target))
    expect((await post({ input: texts(2) })).status).toBe(200)
    expect((await post({ input: 'a' })).status).toBe(200)
    await gateway.close()
    expect(shadow.calls.map(({ inputs }) => inputs.length)).toEqual([1])
  })
})

describe('targets for embeddings', () => {
  const down = (model: string, more: Partial<Target> = {}) =>
    embedder(unavailable, { model, more, name: 'down' })
  const up = (model: string, more: Partial<Target> = {}) => embedder(embedded, { model, more, name: 'up' })

  it.each<[string, ReturnType<typeof down>, ReturnType<typeof up>, number]>([
    ['the same model', down('a'), up('a'), 200],
    ['another model', down('a'), up('b'), 503],
    [
      'another model of the same space',
      down('a', { embeddingSpace: 's' }),
      up('b', { embeddingSpace: 's' }),
      200,
    ],
    [
      'the same model of another space',
      down('a', { embeddingSpace: 's' }),
      up('a', { embeddingSpace: 't' }),
      503,
    ],
    ['the same model without a space', down('a', { embeddingSpace: 'a' }), up('a'), 503],
  ])('fall back to %s', async (_, first, second, status) => {
    const { post, ends } = embedding(fallback(first.target, second.target))
    expect((await post({ input: 'a' })).status).toBe(status)
    expect(second.calls).toHaveLength(status === 200 ? 1 : 0)
    const skipped = ends()[0]!.trace.candidates.map(({ skipped }) => skipped)
    expect(skipped[1]).toEqual(
      status === 200 ? undefined : { why: 'unfit', detail: 'another embedding space' },
    )
  })

  it('are those whose provider embeds, and the space is that of the first of them', async () => {
    const chat = scripted(() => whole('Hello'))
    const [a, b] = [up('a'), up('b')]
    const { post, ends } = embedding([chat.target, a.target, b.target])
    expect((await post({ input: 'a' })).status).toBe(200)
    expect([a.calls.length, b.calls.length]).toEqual([1, 0])
    expect(ends()[0]!.trace.candidates.map(({ skipped }) => skipped?.detail)).toEqual([
      'model',
      undefined,
      'another embedding space',
    ])
  })

  it.each<[string, Target, string]>([
    [
      'a provider without embeddings',
      scripted(() => whole('')).target,
      'This model does not support embeddings.',
    ],
    [
      'a model for other operations',
      up('a', { capabilities: { operations: ['generate'] } }).target,
      'This model does not support embeddings. It supports generated answers.',
    ],
  ])('are a 400 where there are none: %s', async (_, target, message) => {
    const { post, gateway } = embedding(target)
    const response = await post({ input: 'a' })
    const error = { message, type: 'invalid_request_error', param: 'model', code: 'unsupported_value' }
    expect([response.status, await response.json()]).toEqual([400, { error }])
    const explained = await gateway.explain(
      new Request('http://sluice.test/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', input: 'a' }),
      }),
    )
    expect(explained).toMatchObject({ refusal: { message }, candidates: [{ skipped: { why: 'unfit' } }] })
  })

  it('are not asked for generated answers where they only embed', async () => {
    const upstream = up('a', { capabilities: { operations: ['embed'] } })
    const { gateway } = serving(upstream.target)
    const response = await gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
      }),
    )
    expect([response.status, (await response.json()).error.message]).toEqual([
      400,
      'This model does not support generated answers. It supports embeddings.',
    ])
  })

  it.each([
    ['token ids', [[1], [1, 2, 3, 4, 5]], 'input[1]', '5 tokens'],
    ['words', 'a b c d e', 'input', '5 words, and so no fewer tokens'],
  ])('are not called with an input that is certainly too long, in %s', async (_, input, param, size) => {
    const { post } = embedding(up('a', { capabilities: { contextTokens: 4 } }).target)
    expect((await (await post({ input })).json()).error).toMatchObject({
      code: 'context_length_exceeded',
      param,
      message: expect.stringContaining(size),
    })
    expect((await post({ input: 'a b c d' })).status).toBe(200)
  })

  it('may be a space with a name only', () => {
    for (const embeddingSpace of ['', ' ', 7, 'x'.repeat(201)]) {
      const { target } = up('a', { embeddingSpace } as Partial<Target>)
      expect(() => models({ m: target })).toThrow(/embeddingSpace: got/)
    }
  })
})

describe('embeddings are limited', () => {
  it('by tokens: ids exactly, texts by estimate', async () => {
    const { post } = embedding(embedder().target, { limits: limits([tokens(100).per('hour')]) })
    expect((await post({ input: Array(101).fill(7) })).status).toBe(429)
    expect((await post({ input: 'x'.repeat(600) })).status).toBe(429)
    const response = await post({ input: Array(99).fill(7) })
    expect([response.status, response.headers.get('x-ratelimit-remaining-tokens')]).toEqual([200, '1'])
  })

  it('by a budget, at the price of the input', async () => {
    const { post } = embedding(embedder().target, {
      limits: limits([budget(1, 'usd').per('day')]),
      prices: ({ prompt_tokens, completion_tokens }, { operation }) =>
        operation === 'embed' ? prompt_tokens * 0.01 + completion_tokens : null,
    })
    expect((await post({ input: Array(101).fill(7) })).status).toBe(429)
    expect((await post({ input: Array(100).fill(7) })).status).toBe(200)
  })

  it('for one tenant, and not for another', async () => {
    const { post } = embedding(embedder().target, {
      authenticate: request => ({ id: request.headers.get('x-id')! }),
      limits: limits([requests(1).per('hour')]),
    })
    const as = async (id: string) =>
      (await post({ input: 'a' }, { headers: { 'content-type': 'application/json', 'x-id': id } })).status
    expect([await as('ann'), await as('ann'), await as('bob')]).toEqual([200, 429, 200])
  })

  it('to the fields that a restricted principal may send', async () => {
    const upstream = embedder()
    const provider = { ...upstream.target.provider, restrictedFields: { provider: 'routing' } as const }
    const { post } = embedding(
      { ...upstream.target, provider },
      { limits: limits([requests(9).per('hour')]) },
    )
    const response = await post({ input: 'a', provider: { only: ['x'] } })
    expect([response.status, (await response.json()).error.param]).toEqual([400, 'provider'])
    expect((await post({ input: 'a', input_type: 'query' })).status).toBe(200)
    expect(upstream.calls[0]!.request.extra).toEqual({ input_type: 'query' })
  })
})

describe('embeddings are stored', () => {
  const counting = () =>
    embedder(({ inputs }, _, index) => ({
      vectors: inputs.map(() => ({ kind: 'values', values: [index] })),
      promptTokens: 1,
    }))
  const as = (id: string, more: Record<string, string> = {}) => ({
    headers: { 'content-type': 'application/json', 'x-id': id, ...more },
  })
  const authenticate: GatewayOptions['authenticate'] = request => ({ id: request.headers.get('x-id')! })

  it('in the cache, of each principal, by every field', async () => {
    const { post, vectors } = embedding(counting().target, {
      authenticate,
      cache: responseCache({ ttlMs: 60_000 }),
    })
    expect(await vectors({ input: 'a' }, as('ann'))).toEqual([[0]])
    const hit = await post({ input: 'a' }, as('ann'))
    expect([hit.headers.get('x-sluice-cache'), (await hit.json()).data[0].embedding]).toEqual(['hit', [0]])
    expect(await vectors({ input: 'a' }, as('bob'))).toEqual([[1]])
    expect(await vectors({ input: 'b' }, as('ann'))).toEqual([[2]])
    expect(await vectors({ input: 'a', input_type: 'query' }, as('ann'))).toEqual([[3]])
    expect(await vectors({ input: 'a', encoding_format: 'base64' }, as('ann'))).toEqual([base64(4)])
    expect(await vectors({ input: 'a' }, as('ann', { 'cache-control': 'no-cache' }))).toEqual([[5]])
  })

  it('in the cache as its options say', async () => {
    const only = (request: { readonly user?: string | undefined }) => request.user === 'eve'
    for (const [embeddings, expected] of [
      [false, [0, 1, 2, 3]],
      [only, [0, 1, 2, 2]],
    ] as const) {
      const cache = responseCache({ ttlMs: 60_000, embeddings })
      const { vectors } = embedding(counting().target, { cache })
      const found = []
      for (const user of ['ann', 'ann', 'eve', 'eve']) found.push((await vectors({ input: 'a', user }))[0][0])
      expect(found).toEqual(expected)
    }
    const { embedKeyOf, ...older } = responseCache({ ttlMs: 60_000 })
    const { vectors } = embedding(counting().target, { cache: older })
    expect([await vectors({ input: 'a' }), await vectors({ input: 'a' })]).toEqual([[[0]], [[1]]])
    expect(() => responseCache({ ttlMs: 1, embeddings: 'all' as never })).toThrow(/embeddings/)
  })

  it('by their idempotency key, which no other dialect shares', async () => {
    const upstream = counting()
    const { gateway, vectors, post } = embedding(upstream.target, {
      authenticate,
      idempotency: idempotency(),
    })
    const once = as('ann', { 'idempotency-key': 'k' })
    const messages = [{ role: 'user', content: 'Hi' }]
    expect(await vectors({ input: 'a', messages }, once)).toEqual([[0]])
    const again = await post({ input: 'a', messages }, once)
    expect([again.headers.get('idempotency-replayed'), (await again.json()).data[0].embedding]).toEqual([
      'true',
      [0],
    ])
    expect((await post({ input: 'b', messages }, once)).status).toBe(422)
    expect(await vectors({ input: 'a', messages }, as('bob', { 'idempotency-key': 'k' }))).toEqual([[1]])
    const chat = new Request('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      ...once,
      body: JSON.stringify({ model: 'm', input: 'a', messages }),
    })
    expect((await gateway.fetch(chat)).status).toBe(422)
  })

  it('in the ledger, with the estimate of their inputs', async () => {
    const ledger = scriptedLedger()
    const { post } = embedding(embedder().target, { ledger, prices: ({ prompt_tokens }) => prompt_tokens })
    await post({ input: [[1, 2, 3], [4]] })
    expect(ledger.entries).toMatchObject([
      {
        operation: 'embed',
        dialect: 'embeddings',
        stream: false,
        estimate: { promptTokens: 4, completionTokens: 0 },
      },
    ])
    expect(ledger.closings).toMatchObject([
      {
        provider: 'embedder',
        upstreamModel: 'embed-1',
        charge: { promptTokens: 2, completionTokens: 0, cost: 2 },
      },
    ])
  })
})

describe('a body that is no request for embeddings', () => {
  it.each([
    ['not JSON', '{', 400],
    ['a list', '[]', 400],
    ['without a model', '{"input":"a"}', 400],
    ['of an unknown model', '{"model":"none","input":"a"}', 404],
    ['without inputs', '{"model":"m"}', 400],
    ['deep', `{"model":"m","input":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 400],
    ['with a prototype', '{"model":"m","__proto__":{"input":"a"}}', 400],
    ['with many values', `{"model":"m","input":[${'1,'.repeat(100_001)}1]}`, 400],
    ['with a key twice', '{"model":"m","input":"a","input":"b"}', 400],
    ['of numbers that are no ids', '{"model":"m","input":[1e300]}', 400],
  ])('is refused: %s', async (_, body, status) => {
    const upstream = embedder()
    const response = await embedding(upstream.target).post({}, { body })
    expect(response.status).toBe(status)
    expect(Object.keys((await response.json()).error)).toEqual(['message', 'type', 'param', 'code'])
    expect(upstream.calls).toEqual([])
  })

  it('is refused before a key is needed by nobody', async () => {
    const { post } = embedding(embedder().target, { authenticate: () => undefined })
    const response = await post({ input: 'a' })
    expect([response.status, (await response.json()).error.type]).toEqual([401, 'invalid_request_error'])
  })
})

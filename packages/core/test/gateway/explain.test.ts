import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { cheapest } from '../../src/routing/cheapest.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { leastBusy } from '../../src/routing/least-busy.ts'
import { models } from '../../src/routing/models.ts'
import { split } from '../../src/routing/split.ts'
import { weighted } from '../../src/routing/weighted.ts'
import { forever, scripted, serving, turn, whole } from '../support/scripted-gateway.ts'

const fine = (name: string) => scripted(() => whole('Hi.'), { name }).target
const down = (name: string) =>
  scripted(() => Promise.reject(new UpstreamError('x', { kind: 'refused', status: 500 })), { name }).target
const body = { model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }
const asked = (given: unknown = body, path = '/v1/chat/completions', init: RequestInit = {}) =>
  new Request(`http://sluice.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof given === 'string' ? given : JSON.stringify(given),
    ...init,
  })
const placesOf = (candidates: readonly { readonly provider: string }[]) =>
  candidates.map(({ provider }) => provider)

describe('gateway.explain', () => {
  it('tells who would be asked, and asks, counts and tells nobody', async () => {
    const { target, signals } = scripted(() => whole('Hi.'), { name: 'a' })
    const touched: string[] = []
    const { gateway, events } = serving([target, fine('b')], {
      limits: {
        admit: () => {
          touched.push('limit')
          return { settle() {} }
        },
      },
      ledger: { open: () => void touched.push('open'), close: () => void touched.push('close') },
    })
    const model = 'upstream-model'
    expect(await gateway.explain(asked())).toEqual({
      principal: 'ann',
      model: 'm',
      candidates: [
        { provider: 'a', model },
        { provider: 'b', model },
      ],
      seed: expect.any(Number),
      refusal: undefined,
    })
    await turn()
    expect([signals, touched, events]).toEqual([[], [], []])
  })

  it('takes the context that an adapter gives', async () => {
    const { gateway } = serving(fine('a'), {
      authenticate: (_, host) => ({ id: (host as { name: string }).name }),
    })
    const context = { host: { name: 'eve' }, mount: '/ai', body: { kind: 'parsed', value: body } } as const
    const { principal, refusal } = await gateway.explain(asked('', '/ai/v1/chat/completions'), context)
    expect([principal, refusal]).toEqual(['eve', undefined])
  })

  it('tells in which order they would be asked, also where some likely have too little room', async () => {
    const small = { ...fine('small'), capabilities: { contextTokens: 20 } }
    const unfit = { ...fine('unfit'), capabilities: { maxChoices: 1 } }
    const { gateway, post, ends } = serving([small, unfit, fine('large')])
    const more = { n: 2, max_tokens: 100 }
    const { candidates } = await gateway.explain(asked({ ...body, ...more }))
    expect(placesOf(candidates)).toEqual(['large', 'unfit', 'small'])
    await (await post(more)).text()
    expect(ends()[0]?.attempts).toMatchObject([{ provider: 'large' }])
    expect(ends()[0]?.trace.candidates).toEqual(candidates)
  })

  it.each<[string, unknown, Partial<GatewayOptions>, string, object]>([
    ['a stranger', body, { authenticate: () => undefined }, 'missing_api_key', { principal: undefined }],
    ['what is no JSON', '{', {}, 'invalid_json', { principal: 'ann', model: undefined }],
    ['an unknown model', { ...body, model: 'x' }, {}, 'model_not_found', { model: 'x', candidates: [] }],
    ['a model that is not theirs', body, { authorize: () => false }, 'model_not_allowed', { model: 'm' }],
    ['an unsound request', { ...body, n: 'two' }, {}, 'invalid_type', { candidates: { length: 1 } }],
    [
      'what no place can take',
      { ...body, n: 3 },
      {},
      'integer_above_max_value',
      { candidates: { length: 1 } },
    ],
  ])('tells the refusal of %s', async (_, given, options, reason, more) => {
    const { gateway } = serving({ ...fine('a'), capabilities: { maxChoices: 2 } }, options)
    const explained = await gateway.explain(asked(given))
    expect(explained).toMatchObject({ ...more, refusal: { name: 'GatewayError', reason } })
    const response = await gateway.fetch(asked(given))
    expect(explained.refusal).toMatchObject({ status: response.status })
    expect(explained.refusal?.toBody()).toEqual(await response.json())
  })

  it.each([
    ['/v1/models', 'GET', 'unknown_url'],
    ['/v1/audio/speech', 'POST', 'unknown_url'],
    ['/chat/completions', 'POST', 'unknown_url'],
    ['/v1/chat/completions', 'GET', 'method_not_supported'],
  ])('explains requests to models only: %s by %s is a refusal', async (path, method, refusal) => {
    const { gateway } = serving(fine('a'))
    const request = new Request(`http://sluice.test${path}`, { method })
    expect((await gateway.explain(request)).refusal).toMatchObject({ reason: refusal })
  })

  it.each<[string, Partial<GatewayOptions>]>([
    [
      'throws',
      {
        route: () => {
          throw new Error('x')
        },
      },
    ],
    ['gives what is none', { route: () => 'a' as never }],
    ['does not come to its answer', { route: () => new Promise(() => {}), timeouts: { policyMs: 5 } }],
  ])('tells a server_error, with its cause, where a function of the user %s', async (_, options) => {
    const { gateway, events } = serving(fine('a'), options)
    const { refusal } = await gateway.explain(asked())
    expect(refusal).toMatchObject({ reason: 'server_error', cause: expect.any(Error) })
    expect(events).toEqual([])
  })

  it('tells which places are left alone, and that all are, without a change of their health', async () => {
    const places = [down('a'), down('b')]
    const { gateway, post, ends } = serving(places, { breaker: { failures: 1 }, retry: false })
    await post({})
    const explained = await gateway.explain(asked())
    const skipped = { why: 'open', waitMs: expect.any(Number) }
    expect(explained.candidates).toMatchObject([
      { provider: 'a', skipped },
      { provider: 'b', skipped },
    ])
    expect(explained.refusal).toMatchObject({
      reason: 'overloaded',
      headers: { 'retry-after': expect.any(String), 'retry-after-ms': expect.any(String) },
    })
    const response = await post({})
    expect(response.status).toBe(503)
    expect(ends()[1]!.attempts).toEqual([])
    expect(ends()[1]!.trace.candidates).toMatchObject([
      { provider: 'a', skipped },
      { provider: 'b', skipped },
    ])
  })

  it('decides as the request of a trace did, with its seed', async () => {
    const [a, b, c, d] = [fine('a'), fine('b'), fine('c'), fine('d')]
    const { gateway, post, ends } = serving(a, {
      prices: (_, { provider }) => (provider === 'b' ? 1 : 2),
      route: models({
        m: weighted([a, 3], [b, 1], [c, 1], [d, 2]),
        busy: leastBusy(a, b, c, d),
        deep: fallback(weighted([leastBusy(a, b), 1], [cheapest(c, d), 1]), weighted([c, 1], [d, 1])),
        arms: split({ one: [weighted([a, 1], [b, 1]), 0.5], other: [c, 0.5] }),
      }),
    })
    const names = ['m', 'busy', 'deep', 'arms']
    const orders = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), async model => {
        await post({ model })
        const { trace } = ends().at(-1)!
        const explained = await gateway.explain(asked({ ...body, model }), { seed: trace.seed })
        expect(explained).toMatchObject({ seed: trace.seed, refusal: undefined })
        expect(explained.candidates).toEqual(trace.candidates)
        orders.add(placesOf(trace.candidates).join())
      }),
      { numRuns: 200 },
    )
    expect(orders.size).toBeGreaterThan(10)
  })

  it('decides anew without a seed', async () => {
    const { gateway } = serving(fine('a'))
    const seeds = new Set<number>()
    for (let index = 0; index < 20; index++) seeds.add((await gateway.explain(asked())).seed)
    expect(seeds.size).toBe(20)
  })

  it.each([-1, 0.5, 2 ** 32, Number.NaN, '7', null])(
    'rejects with a TypeError for the seed %s',
    async seed => {
      const { gateway } = serving(fine('a'))
      await expect(gateway.explain(asked(), { seed: seed as never })).rejects.toThrow(
        'expected a whole number from 0 to 4294967295',
      )
    },
  )

  it('is refused as the request would be once the gateway closes', async () => {
    const { gateway, post } = serving(scripted(forever).target)
    const running = post({})
    await turn()
    const closing = gateway.close({ drainMs: 20 })
    expect((await gateway.explain(asked())).refusal).toMatchObject({ reason: 'shutting_down' })
    await Promise.all([closing, running])
  })

  it('ends where its request is aborted while the body is read', async () => {
    const left = new AbortController()
    const { gateway } = serving(fine('a'))
    const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
    const request = asked('', undefined, {
      body: endless,
      signal: left.signal,
      duplex: 'half',
    } as RequestInit)
    const explaining = gateway.explain(request)
    await turn()
    left.abort()
    expect((await explaining).refusal).toMatchObject({ reason: 'client_disconnected' })
  })
})

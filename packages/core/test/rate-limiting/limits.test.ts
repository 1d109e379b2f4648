import { describe, expect, it, vi } from 'vitest'
import { apiKeys } from '../../src/auth/api-keys.ts'
import { firstOf } from '../../src/auth/first-of.ts'
import { keyStore } from '../../src/auth/issued-keys.ts'
import { hashApiKey } from '../../src/auth/key-digest.ts'
import type { LimitRuleData, Principal } from '../../src/contracts/principal.ts'
import type { Reply } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import type { Usage } from '../../src/protocol/chat.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import type { LimitsOptions } from '../../src/rate-limiting/limits-options.ts'
import { memoryLimitStore } from '../../src/rate-limiting/memory-limit-store.ts'
import { budget, concurrent, requests, tokens } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { rowsInMemory } from '../support/rows-in-memory.ts'
import { forever, scripted, serving, stop, stream, text, turn, whole } from '../support/scripted-gateway.ts'

/** A gateway whose vendor answers when it is told to. */
function limited(
  rules: readonly LimitRuleData[],
  options: LimitsOptions = {},
  more: Partial<GatewayOptions> = {},
) {
  const store = memoryLimitStore()
  const waiting: ((reply: Reply) => void)[] = []
  const { target, inputs } = scripted(
    () =>
      new Promise<Reply>(resolve => {
        waiting.push(resolve)
      }),
  )
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve(whole('Hi'))
  }
  const service = serving(target, {
    limits: limits(rules, { store, ...options }),
    prices: ({ prompt_tokens, completion_tokens }) => (prompt_tokens + completion_tokens) * 1e-6,
    ...more,
  })
  return { ...service, store, inputs, answer, waiting }
}

/** Lets the vendor answer until this request has its answer. */
async function answered(asked: Promise<Response>, answer: () => void): Promise<Response> {
  for (;;) {
    const response = await Promise.race([asked, turn()])
    if (response instanceof Response) return response
    answer()
  }
}

const json = { 'content-type': 'application/json' }

/** What a request of these tests reserves: its prompt, and the bound that it names. */
const bound = { max_tokens: 900 }
const promptTokens = Math.ceil(
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }], ...bound }).length / 3,
)
const reserved = promptTokens + 900

describe('F64 fifty requests at once with room for ten', () => {
  it.each<[string, LimitRuleData]>([
    ['requests', requests(10).per('day')],
    ['tokens', tokens(10 * reserved + 50).per('day')],
    ['requests at once', concurrent(10)],
    ['money', budget(10.5 * reserved * 1e-6, 'usd').per('day')],
  ])('are ten, by %s', async (_, rule) => {
    const { post, answer, waiting, inputs, store } = limited([rule])
    const asked = Array.from({ length: 50 }, () => post(bound))
    const refusals = await Promise.race([
      Promise.all(asked),
      new Promise<undefined>(done => setTimeout(done, 50)),
    ])
    expect(refusals).toBeUndefined()
    expect(waiting).toHaveLength(10)
    answer()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(10)
    expect(statuses.filter(status => status === 429)).toHaveLength(40)
    expect(inputs).toHaveLength(10)
    expect(store.held).toBe(0)
  })
})

describe('F65 what is reserved is given back', () => {
  const rules = [
    tokens(50_000).per('day'),
    concurrent(5),
    budget(1, 'usd').per('day'),
    requests(99).per('day'),
  ]
  const serve = (reply: Parameters<typeof scripted>[0], more: Parameters<typeof serving>[1] = {}) => {
    const store = memoryLimitStore()
    const { target, inputs } = scripted(reply)
    const limit = limits(rules, { store })
    return { ...serving(target, { limits: limit, prices: () => 0.01, ...more }), store, inputs }
  }
  const left = async ({ post }: ReturnType<typeof serve>) =>
    Number((await post({ max_tokens: 0, temperature: 9 })).headers.get('x-ratelimit-remaining-tokens'))

  it('all but what was used, by an answer at once or as a stream', async () => {
    for (const [fields, reply] of [
      [{}, () => whole('Hi')],
      [
        { stream: true },
        () => stream([text('Hi'), { ...stop, usage: { prompt_tokens: 3, completion_tokens: 2 } }]),
      ],
    ] as const) {
      const service = serve(reply)
      const response = await service.post({ ...bound, ...fields })
      expect(response.headers.get('x-ratelimit-remaining-tokens')).toBeDefined()
      await response.text()
      expect(service.store.held).toBe(0)
      expect(await left(service)).toBeGreaterThan(50_000 - 100)
      expect(await left(service)).toBeLessThan(50_000 - 5)
    }
  })

  it('all of it, of a request that is invalid or that no model answered', async () => {
    const invalid = serve(() => whole('Hi'))
    expect((await invalid.post({ temperature: 9 })).status).toBe(400)
    const failed = serve(() => Promise.reject(new UpstreamError('refused', { kind: 'unreachable' })))
    expect((await failed.post(bound)).status).toBe(502)
    const broken = serve(() => Promise.reject(new Error('a fault')))
    expect((await broken.post(bound)).status).toBe(502)
    for (const service of [invalid, failed, broken]) {
      expect(service.store.held).toBe(0)
      expect(await left(service)).toBeGreaterThan(50_000 - 100)
    }
  })

  it('of a stream that breaks off, of a client that leaves, and of a gateway that closes', async () => {
    const broken = serve(() => stream([text('Hi')], new Error('cut')))
    await (await broken.post({ ...bound, stream: true })).text()
    expect(broken.store.held).toBe(0)

    const left = serve(signal => forever(signal))
    const leaving = new AbortController()
    const answering = left.post(bound, { signal: leaving.signal })
    await turn()
    expect(left.store.held).toBe(1)
    leaving.abort()
    await answering
    expect(left.store.held).toBe(0)

    const closing = serve(signal => forever(signal))
    const cut = closing.post(bound)
    await turn()
    expect(closing.store.held).toBe(1)
    await closing.gateway.close({ drainMs: 0 })
    await cut
    expect(closing.store.held).toBe(0)
  })

  it('of a request that is refused before its model is asked, for a model without a price', async () => {
    const service = serve(() => whole('Hi'), { prices: () => null })
    const response = await service.post(bound)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { code: 'model_not_priced' } })
    expect(service.inputs).toHaveLength(0)
    expect(service.store.held).toBe(0)
  })
})

describe('limits of a principal', () => {
  const serve = (principal: Principal, options: Partial<GatewayOptions> = {}) =>
    serving(scripted(() => whole('Hi')).target, { authenticate: () => principal, ...options })
  const once: LimitRuleData = { kind: 'requests', limit: 1, per: 'day' }
  const statuses = async (post: ReturnType<typeof serving>['post'], of = 3) => {
    const found: number[] = []
    for (let count = 0; count < of; count++) found.push((await post(bound)).status)
    return found
  }

  it.each<[string, Partial<GatewayOptions>]>([
    ['beside those of the gateway', { limits: [requests(5).per('day')] }],
    ['where the gateway has no option for them', {}],
    ['where the option is not defined', { limits: undefined } as object],
    ['where the gateway has an empty list', { limits: [] }],
    ['where the gateway has limits() without rules', { limits: limits([]) }],
  ])('hold %s', async (_, options) => {
    const { post } = serve({ id: 'ann', limits: [once] }, options)
    expect((await post({})).status).toBe(200)
    const refused = await post({})
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-should-retry')).toBe('false')
  })

  it('hold for listed, looked up and issued keys, each by itself', async () => {
    const key = (id: string) => ({ id, key: `sk-${id}`, limits: [once] })
    const found = async (digest: string) =>
      digest === hashApiKey('sk-cid') ? { id: 'cid', limits: [once] } : undefined
    const keys = keyStore(rowsInMemory())
    const { key: issued } = await keys.issue({ name: 'Dan', limits: [once] })
    const authenticate = firstOf(
      apiKeys([key('ann'), key('bob'), { id: 'free', key: 'sk-free' }]),
      apiKeys(found, { format: /^sk-/ }),
      apiKeys(keys),
    )
    const { post } = serving(scripted(() => whole('Hi')).target, { authenticate })
    const by = (bearer: string) => (fields: object) =>
      post(fields, { headers: { ...json, authorization: `Bearer ${bearer}` } })
    for (const bearer of ['sk-ann', 'sk-bob', 'sk-cid', issued]) {
      expect(await statuses(by(bearer))).toEqual([200, 429, 429])
    }
    expect(await statuses(by('sk-free'))).toEqual([200, 200, 200])
  })

  it.each<[string, LimitRuleData, number[]]>([
    // Each answer uses 5, of what is reserved for it.
    ['tokens', tokens(reserved + 4).per('day'), [200, 429, 429]],
    ['money', budget((reserved + 4) * 1e-6, 'usd').per('ever'), [200, 429, 429]],
    ['requests of one model', requests(1).per('day').forModels('m'), [200, 429, 429]],
    ['requests of another model', requests(1).per('day').forModels('n'), [200, 200, 200]],
  ])('hold for %s without an option', async (_, rule, expected) => {
    const prices = ({ prompt_tokens, completion_tokens }: Usage) => (prompt_tokens + completion_tokens) * 1e-6
    const { post } = serve({ id: 'ann', limits: [rule] }, { prices })
    expect(await statuses(post)).toEqual(expected)
  })

  it('hold for requests at once without an option', async () => {
    const { post, waiting, answer } = limited([], {}, {
      limits: undefined,
      authenticate: () => ({ id: 'ann', limits: [concurrent(1)] }),
    } as object)
    const first = post(bound)
    await turn()
    expect((await post(bound)).status).toBe(429)
    expect(waiting).toHaveLength(1)
    expect((await answered(first, answer)).status).toBe(200)
    expect((await answered(post(bound), answer)).status).toBe(200)
  })

  it('refuse a budget for a model without a price, without an option', async () => {
    const { post } = serve({ id: 'ann', limits: [budget(1, 'usd').per('day')] })
    expect((await post(bound)).status).toBe(403)
  })

  it('go on counting over a reload, with and without rules of the gateway', async () => {
    const { target } = scripted(() => whole('Hi'))
    const given = {
      authenticate: () => ({ id: 'ann', limits: [requests(3).per('day')] }),
      route: models({ m: target }),
    }
    const { gateway, post } = serving(target, given)
    expect(await statuses(post, 1)).toEqual([200])
    gateway.reload({ ...given, limits: requests(9).per('day') })
    expect(await statuses(post, 1)).toEqual([200])
    gateway.reload(given)
    expect(await statuses(post)).toEqual([200, 429, 429])
  })

  it('that cannot be used are a fault of the service, and let nobody in', async () => {
    for (const limit of [undefined, [requests(5).per('day')]]) {
      const limits = [{ kind: 'requests', limit: -1, per: 'day' } as const]
      const { post, ends } = serve({ id: 'ann', limits }, { limits: limit } as object)
      expect((await post({})).status).toBe(500)
      expect(ends()[0]?.error).toMatchObject({ message: expect.stringContaining('got -1') })
    }
  })

  it('cost a gateway nothing where nobody has any', async () => {
    const store = memoryLimitStore()
    const admit = vi.spyOn(store, 'admit')
    const { post } = serve({ id: 'ann' }, { limits: limits([], { store }) })
    expect([...(await post(bound)).headers.keys()].filter(name => name.includes('ratelimit'))).toEqual([])
    expect(admit).not.toHaveBeenCalled()
  })
})

describe('a limiter of the user for principals with limits', () => {
  const room = () => ({ settle() {} })
  const keys = apiKeys([
    { id: 'bob', key: 'sk-bob' },
    { id: 'ann', key: 'sk-ann', limits: [requests(1).per('day')] },
  ])
  const { target } = scripted(() => whole('Hi'))

  it('is refused at the start, or a reload, where a list has some and it does not say that it enforces them', () => {
    const told =
      /limits: got a limiter that does not enforce the limits of principals, expected .*'ann' has limits/
    const unlimited = apiKeys([{ id: 'bob', key: 'sk-bob' }])
    const refused = (options: Partial<GatewayOptions>) => () =>
      serving(target, { limits: { admit: room }, ...options })
    expect(refused({ authenticate: keys })).toThrow(told)
    expect(refused({ authenticate: firstOf(unlimited, keys) })).toThrow(told)
    const { gateway } = serving(target, { authenticate: unlimited, limits: { admit: room } })
    const next = { authenticate: keys, route: models({ m: target }), limits: { admit: room } }
    expect(() => gateway.reload(next)).toThrow(told)
    expect(() =>
      gateway.reload({ ...next, limits: { admit: room, enforcesPrincipalLimits: true } }),
    ).not.toThrow()
  })

  it('is not asked for a caller who turns out to have some: a 500 whose cause is told', async () => {
    const admit = vi.fn(room)
    const authenticate = async () => ({ id: 'ann', limits: [requests(1).per('day')] })
    const { post, ends } = serving(target, { authenticate, limits: { admit } })
    expect((await post({})).status).toBe(500)
    expect(admit).not.toHaveBeenCalled()
    expect(ends()[0]).toMatchObject({
      outcome: 'internal_error',
      error: { message: expect.stringContaining("the gateway's limiter does not enforce them") },
    })
  })

  it('is asked where it says that it enforces them', async () => {
    const authenticate = () => ({ id: 'ann', limits: [requests(1).per('day')] })
    const { post } = serving(target, { authenticate, limits: { admit: room, enforcesPrincipalLimits: true } })
    expect((await post({})).status).toBe(200)
  })
})

describe('a shadow', () => {
  it('lets in what it would refuse, and the event names it', async () => {
    const { target } = scripted(() => whole('Hi'))
    const { post, ends } = serving(target, { limits: requests(1).per('day').dryRun() })
    for (let count = 0; count < 2; count++) expect((await post(bound)).status).toBe(200)
    expect(ends().map(({ wouldHaveRefused }) => wouldHaveRefused)).toEqual([[], ["requests(1).per('day')"]])
  })
})

describe('waiting for room', () => {
  it('is answered when there is room, and told as time in the queue', async () => {
    const { post, answer, waiting, ends, store } = limited([concurrent(1)], {
      wait: { maxMs: 5_000, maxQueued: 5 },
    })
    const first = post(bound)
    const second = post(bound)
    await turn()
    expect(waiting).toHaveLength(1)
    await new Promise(resolve => setTimeout(resolve, 30))
    answer()
    expect((await first).status).toBe(200)
    while (waiting.length === 0) await turn()
    answer()
    expect((await second).status).toBe(200)
    expect(ends()[1]?.timings.queue).toBeGreaterThanOrEqual(20)
    expect(store.held).toBe(0)
  })

  it('is refused where too many wait, or the room comes too late', async () => {
    const { post, answer } = limited([concurrent(1)], { wait: { maxMs: 5_000, maxQueued: 1 } })
    const waiting = [post(bound), post(bound)]
    await turn()
    expect((await post(bound)).status).toBe(429)
    for (const asked of waiting) expect((await answered(asked, answer)).status).toBe(200)
    const minute = limited([requests(1).per('minute')], { wait: { maxMs: 5_000, maxQueued: 5 } })
    const first = minute.post(bound)
    const started = performance.now()
    expect((await minute.post(bound)).headers.get('retry-after')).toBe('60')
    expect(performance.now() - started).toBeLessThan(1_000)
    expect((await answered(first, minute.answer)).status).toBe(200)
  })

  it('is done in a queue of its own by each of two who have one id from two sources', async () => {
    const { post, answer } = limited(
      [concurrent(1).by('gateway')],
      { wait: { maxMs: 60_000, maxQueued: 1 } },
      { authenticate: request => ({ id: 'ann', source: request.headers.get('x-source') ?? '' }) },
    )
    const from = (source: string) => post({}, { headers: { 'x-source': source, ...json } })
    const asked = [from('keys'), from('keys'), from('tokens')]
    await turn()
    expect((await from('keys')).status).toBe(429)
    for (const each of asked) expect((await answered(each, answer)).status).toBe(200)
  })

  it('is not done for a budget that is used up', async () => {
    const { post } = limited([budget(0.000_5, 'usd').per('day')], { wait: { maxMs: 5_000, maxQueued: 5 } })
    expect((await post(bound)).status).toBe(429)
  })

  it('ends when the client leaves, and holds nothing', async () => {
    const { post, answer, store, inputs } = limited([concurrent(1)], { wait: { maxMs: 5_000, maxQueued: 5 } })
    const first = post(bound)
    const leaving = new AbortController()
    const second = post(bound, { signal: leaving.signal })
    await turn()
    leaving.abort()
    expect((await second).status).toBe(499)
    answer()
    expect((await first).status).toBe(200)
    await turn()
    expect(inputs).toHaveLength(1)
    expect(store.held).toBe(0)
  })

  it('ends when the gateway closes: nobody asks for room any more, and no timer is left', async () => {
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
    const counts = memoryLimitStore()
    const admit = vi.spyOn(counts, 'admit')
    const { post, gateway } = limited([concurrent(1)], {
      store: counts,
      wait: { maxMs: 60_000, maxQueued: 5 },
    })
    const before = timers()
    const first = post(bound)
    const second = post(bound)
    await turn()
    expect(admit).toHaveBeenCalledTimes(2)
    await gateway.close({ drainMs: 1 })
    expect([(await first).status, (await second).status]).toEqual([503, 503])
    await turn()
    expect(admit).toHaveBeenCalledTimes(2)
    expect(counts.held).toBe(0)
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

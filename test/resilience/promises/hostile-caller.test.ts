import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ApiKeyRecord,
  apiKeys,
  budget,
  concurrent,
  idempotency,
  type LimitRuleData,
  limits,
  models,
  priceTable,
  requests,
  responseCache,
  tokens,
} from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { memoryLimitStore } from '@sluice/core/limits'
import { openaiCompatible } from '@sluice/providers'
import {
  completion,
  connectRawClient,
  type Reaction,
  requestBytes,
  type Steps,
  steps,
  type Upstream,
  usage,
} from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runningDev } from '../../e2e/cli/running-dev.ts'
import type { Asking } from '../../e2e/conformance/site.ts'
import { base, headersOf } from '../../e2e/conformance/site.ts'
import { mounts } from '../../e2e/mounts/mounts.ts'
import { type Service, type ServiceParts, startService, upstreamKey } from '../faults/harness/service.ts'
import { upstreamDuring } from '../faults/harness/upstream.ts'

// Mallory has one valid key. Ann is another tenant of the same gateway.

const mount = mounts['node http']!
type Name = 'mallory' | 'ann'
const authenticate = apiKeys((['mallory', 'ann'] as const).map(id => ({ id, key: `key-${id}` })))

const ask = (
  { site }: Pick<Service, 'site'>,
  name: Name,
  fields: object = {},
  headers: Asking['headers'] = {},
) => site.chat({ model: 'm', ...fields }, { key: `key-${name}`, headers })

/** A request of Mallory's as it goes over the wire. */
const bytesOf = ({ site }: Service, fields: object = {}) =>
  requestBytes({
    path: site.pathOf('/chat/completions'),
    headers: headersOf({ key: 'key-mallory' }),
    body: { ...base, model: 'm', ...fields },
  })

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const statuses = (answers: readonly { readonly status: number }[]) => [
  ...new Set(answers.map(({ status }) => status)),
]

function start(upstream: Upstream, parts: Partial<ServiceParts> = {}): Promise<Service> {
  return startService(mount, { authenticate, models: { m: upstream }, ...parts })
}

/** Limits with counts of their own. */
const withLimits = (rules: readonly LimitRuleData[], options: Parameters<typeof limits>[1] = {}) =>
  limits(rules, { store: memoryLimitStore(), ...options })

const spent = ({ ends }: Service, name: Name) =>
  ends.filter(({ principal }) => principal?.id === name).reduce((sum, { cost }) => sum + (cost ?? 0), 0)

describe('a caller who takes the place of others in a queue', () => {
  it('fills the queue of a provider with maxConcurrent: the next one is served after one of theirs', async () => {
    // Long beside what a request takes to come here, also where the machine is busy.
    const upstream = await upstreamDuring([steps.wait(150), steps.reply(completion())])
    const provider = openaiCompatible({
      name: 'vendor',
      baseURL: upstream.baseURL,
      apiKey: upstreamKey,
      maxConcurrent: 1,
    })
    const service = await start(upstream, { models: { m: provider('its-model') } })
    let ended = 0
    const crowd = times(12, () => ask(service, 'mallory').then(({ status }) => [status, ended++]))
    await expect.poll(() => upstream.requests.length).toBeGreaterThanOrEqual(2)
    const before = upstream.requests.length
    expect((await ask(service, 'ann', { user: 'ann' })).status).toBe(200)
    const turn = upstream.requests.findIndex(({ json }) => json?.user === 'ann')
    expect(turn - before).toBeLessThanOrEqual(2)
    expect(ended).toBeLessThan(8)
    expect(new Set((await Promise.all(crowd)).map(([status]) => status))).toEqual(new Set([200]))
  })

  it('waits with many requests for room of the gateway: the next one has it after one of theirs', async () => {
    const upstream = await upstreamDuring([steps.wait(40), steps.reply(completion())])
    const limit = withLimits([concurrent(1).by('gateway')], { wait: { maxMs: 20_000, maxQueued: 50 } })
    const service = await start(upstream, { limits: limit })
    const crowd = times(30, () => ask(service, 'mallory'))
    await expect.poll(() => upstream.requests.length).toBeGreaterThanOrEqual(2)
    const before = upstream.requests.length
    expect((await ask(service, 'ann', { user: 'ann' })).status).toBe(200)
    const turn = upstream.requests.findIndex(({ json }) => json?.user === 'ann')
    expect(turn - before).toBeLessThanOrEqual(2)
    expect(statuses(await Promise.all(crowd))).toEqual([200])
  })

  it('comes and leaves in a queue all the time: the next one has its turn all the same', async () => {
    const upstream = await upstreamDuring([steps.wait(20), steps.reply(completion())])
    const limit = withLimits([concurrent(1).by('gateway')], { wait: { maxMs: 20_000, maxQueued: 50 } })
    const service = await start(upstream, { limits: limit })
    let over = false
    const storm = times(10, async () => {
      while (!over) {
        const client = await connectRawClient({ port: service.site.port })
        await client.send(bytesOf(service))
        await sleep(15)
        client.reset()
        await client.close()
      }
    })
    const answers = []
    for (let nth = 0; nth < 3; nth++) answers.push(await ask(service, 'ann'))
    over = true
    await Promise.all(storm)
    expect(statuses(answers)).toEqual([200])
  })
})

describe('a caller who uses up what repeats failed calls', () => {
  const internal = steps.reply({ error: { message: 'Internal error' } }, { status: 500 })

  it.each([
    ['none of theirs', -1],
    ['bad requests only', 0],
    ['good requests between', 1],
    ['more good requests than bad ones', 3],
  ])('by requests that fail: a failed call of the other is repeated all the same (%s)', async (_, good) => {
    const failed = new Set<string>()
    const upstream = await upstreamDuring(({ body, json }): Steps => {
      if (body.includes('guided_regex')) return internal
      const user = String(json?.user ?? '')
      // Each request of Ann fails once, as it would with a vendor that fails now and then.
      if (!user.startsWith('ann') || failed.has(user)) return steps.reply(completion())
      failed.add(user)
      return internal
    })
    const service = await start(upstream, { breaker: {}, retry: { baseMs: 1, maxMs: 5 } })
    let over = false
    const storm = times(good < 0 ? 0 : 4, async () => {
      while (!over) {
        await ask(service, 'mallory', { guided_regex: '((((' })
        for (let nth = 0; nth < good; nth++) await ask(service, 'mallory')
      }
    })
    await sleep(300)
    const answers = []
    for (let nth = 0; nth < 5; nth++) {
      // One in six: within the fifth that may be repeated.
      for (let more = 0; more < 5; more++) await ask(service, 'ann')
      answers.push(await ask(service, 'ann', { user: `ann-${nth}` }))
    }
    over = true
    await Promise.all(storm)
    expect(statuses(answers)).toEqual([200])
  })
})

describe('a caller who spends more than they have', () => {
  const prices = priceTable({ m: { input: 0, output: 1_000, tiers: { priority: 4 } } })
  /** Writes as many tokens as it may, of each choice. */
  const greedy: Reaction = ({ json }) => {
    const most = Number(json?.max_completion_tokens ?? json?.max_tokens ?? 4_096)
    const n = Number(json?.n ?? 1)
    return [steps.wait(20), steps.reply(completion({ usage: usage(1, most * n) }))]
  }

  it('asks many times at once: no more is spent than the budget, and nothing of the other', async () => {
    const upstream = await upstreamDuring(greedy)
    const service = await start(upstream, { prices, limits: withLimits([budget(1, 'usd').per('ever')]) })
    const answers = await Promise.all(times(40, () => ask(service, 'mallory', { max_tokens: 100 })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(spent(service, 'mallory')).toBeCloseTo(1)
    expect((await ask(service, 'ann', { max_tokens: 1_000 })).status).toBe(200)
  })

  it('names bounds and counts that are none: nothing is given back that was not taken', async () => {
    const upstream = await upstreamDuring(greedy)
    const service = await start(upstream, { prices, limits: withLimits([budget(1, 'usd').per('ever')]) })
    const tricks: object[] = [
      { max_tokens: -1_000_000 },
      { max_completion_tokens: -1, max_tokens: 900 },
      { max_tokens: 1e300 },
      { max_tokens: '5' },
      { max_tokens: [1] },
      { max_tokens: 0.5 },
      { n: -100, max_tokens: 100 },
      { n: 1e9, max_tokens: 100 },
      { n: 0, max_tokens: 100 },
      { n: '2', max_tokens: 100 },
      { max_tokens: Number.MAX_SAFE_INTEGER },
      { max_tokens: Number.MAX_SAFE_INTEGER, n: 128 },
      { max_tokens: 200, n: 128 },
    ]
    for (const fields of tricks) {
      const { status } = await ask(service, 'mallory', fields)
      expect([fields, status]).toEqual([
        fields,
        expect.toSatisfy((code: number) => code >= 400 && code < 500),
      ])
    }
    expect(upstream.requests).toHaveLength(0)
    expect((await ask(service, 'mallory', { max_tokens: 500, n: 2 })).status).toBe(200)
    expect((await ask(service, 'mallory', { max_tokens: 1 })).status).toBe(429)
    expect(spent(service, 'mallory')).toBeCloseTo(1)
  })

  it('asks for two bounds of which the vendor obeys the greater: that one is reserved', async () => {
    const upstream = await upstreamDuring(greedy)
    const service = await start(upstream, { prices, limits: withLimits([budget(1, 'usd').per('ever')]) })
    const answers = await Promise.all(
      times(20, () => ask(service, 'mallory', { max_tokens: 1, max_completion_tokens: 500 })),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2)
    expect(spent(service, 'mallory')).toBeLessThanOrEqual(1)
  })

  it('asks for a dearer tier by other spellings: it is reserved for, or refused', async () => {
    const upstream = await upstreamDuring(greedy)
    const service = await start(upstream, { prices, limits: withLimits([budget(1, 'usd').per('ever')]) })
    const spellings = ['Priority', 'PRIORITY', ' priority', 'priority ', 'prıority', ['priority'], 'unknown']
    for (const service_tier of spellings) {
      const { status } = await ask(service, 'mallory', { max_tokens: 300, service_tier })
      if (status === 200) expect(upstream.requests.at(-1)?.json).not.toHaveProperty('service_tier')
      else expect([service_tier, status]).toEqual([service_tier, 400])
    }
    for (const field of ['Service_Tier', 'serviceTier', 'service-tier', 'ſervice_tier']) {
      expect([field, (await ask(service, 'mallory', { max_tokens: 1, [field]: 'priority' })).status]).toEqual(
        [field, 400],
      )
    }
    // Four times the price: 1.2 dollars.
    expect((await ask(service, 'mallory', { max_tokens: 300, service_tier: 'priority' })).status).toBe(429)
    expect(upstream.requests.filter(({ body }) => /priority/i.test(body))).toEqual([])
  })

  it('leaves before the answer, again and again: what was reserved is spent', async () => {
    const upstream = await upstreamDuring([steps.wait(5_000), steps.reply(completion())])
    const service = await start(upstream, { prices, limits: withLimits([budget(1, 'usd').per('ever')]) })
    for (let nth = 0; nth < 12; nth++) {
      const client = await connectRawClient({ port: service.site.port })
      onTestFinished(() => client.close())
      await client.send(bytesOf(service, { max_tokens: 250 }))
      const seen = nth < 4 ? nth + 1 : 4
      await expect.poll(() => upstream.requests.length + service.ends.length).toBeGreaterThan(nth)
      await expect.poll(() => upstream.requests.length).toBe(seen)
      client.reset()
      await service.end(nth + 1)
    }
    expect(upstream.requests).toHaveLength(4)
    expect(spent(service, 'mallory')).toBeCloseTo(1)
  })

  it('names the model as the price list does not: what has no price is refused', async () => {
    const upstream = await upstreamDuring(greedy)
    const provider = openaiCompatible({ name: 'acme', baseURL: upstream.baseURL, apiKey: upstreamKey })
    const service = await start(upstream, {
      route: models({ 'acme/*': provider }),
      prices: priceTable({ 'acme/large': { input: 0, output: 1_000 } }),
      limits: withLimits([budget(1, 'usd').per('ever')]),
    })
    for (const model of [
      'acme/Large',
      'acme/large ',
      'acme/ large',
      'acme//large',
      'acme/large:online',
      'acme/',
    ]) {
      const { status } = await ask(service, 'mallory', { model, max_tokens: 5 })
      expect([model, status]).toEqual([model, expect.toBeOneOf([400, 403, 404])])
    }
    expect(upstream.requests).toHaveLength(0)
    expect((await ask(service, 'mallory', { model: 'acme/large', max_tokens: 5 })).status).toBe(200)
  })

  it('hides a field in one that gateways unfold: it is not passed on', async () => {
    const upstream = await upstreamDuring(greedy)
    const service = await start(upstream, { prices, limits: withLimits([tokens(5_000).per('hour')]) })
    for (const field of ['extra_body', 'extra_headers', 'extra_query', 'api_base', 'base_url', 'api_key']) {
      const { status } = await ask(service, 'mallory', { max_tokens: 5, [field]: { n_predict: 1e6 } })
      expect([field, status]).toEqual([field, 200])
    }
    for (const { body } of upstream.requests) expect(body).not.toMatch(/n_predict|extra_|api_|base_url/)
  })
})

describe('a caller who says that they are somebody else', () => {
  const claims = {
    'x-forwarded-user': 'ann',
    'x-forwarded-for': '10.0.0.1',
    'x-user': 'ann',
    'x-principal': 'ann',
    'x-sluice-principal': 'ann',
    'x-sluice-source': 'console',
    'x-api-key': 'key-ann',
    'api-key': 'key-ann',
    'x-goog-api-key': 'key-ann',
    'openai-organization': 'ann',
    cookie: 'key=key-ann',
    'proxy-authorization': 'Bearer key-ann',
  }
  const fields = { user: 'ann', metadata: { principal: 'ann', source: 'console' }, principal: { id: 'ann' } }

  it('by headers or fields: limits, cache and record are those of their own key', async () => {
    const upstream = await upstreamDuring()
    const service = await start(upstream, {
      limits: withLimits([requests(3).per('day')]),
      cache: responseCache({ ttlMs: 60_000 }),
    })
    const secret = { temperature: 0, messages: [{ role: 'user', content: 'what Ann asked' }] }
    expect((await ask(service, 'ann', secret)).headers['x-sluice-cache']).toBe('miss')
    const first = await ask(service, 'mallory', secret, claims)
    expect([first.status, first.headers['x-sluice-cache']]).toEqual([200, 'miss'])
    expect((await ask(service, 'mallory', fields, claims)).status).toBe(200)
    expect((await ask(service, 'mallory', fields, claims)).status).toBe(200)
    expect((await ask(service, 'mallory', fields, claims)).status).toBe(429)
    expect((await ask(service, 'ann', secret)).headers['x-sluice-cache']).toBe('hit')
    expect(new Set(service.ends.slice(1, 5).map(({ principal }) => principal?.id))).toEqual(
      new Set(['mallory']),
    )
  })

  it('by two keys in one request: it is refused, and neither is asked for', async () => {
    const upstream = await upstreamDuring()
    const { site } = await start(upstream)
    const body = JSON.stringify({ ...base, model: 'm' })
    const heads = [
      'Authorization: Bearer key-mallory\r\nAuthorization: Bearer key-ann',
      'Authorization: Bearer key-mallory, Bearer key-ann',
      'Authorization: Bearer key-mallory key-ann',
      'Authorization: Bearer key-mallory\r\n\tkey-ann',
    ]
    for (const head of heads) {
      const client = await connectRawClient({ port: site.port })
      onTestFinished(() => client.close())
      await client.send(
        `POST ${site.pathOf('/chat/completions')} HTTP/1.1\r\nHost: a\r\n${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      const status = (await client.response())?.status
      expect([head, status]).toEqual([head, expect.toBeOneOf([400, 401])])
    }
    expect(upstream.requests).toHaveLength(0)
  })

  it('by an id made to look like another, with an issuer that signs any: nothing is shared', async () => {
    const upstream = await upstreamDuring()
    // As with a token: the id is what the caller could choose.
    const ids = new Map<string, string>([
      ['a', 'ann'],
      ...[
        ' ann',
        'ann ',
        'api_keys ann',
        'repeat  ann',
        'ann/m',
        'ann|tag/team=x',
        'Ann',
        'a~006en',
        'ａnn',
      ].map((id, at) => [`b${at}`, id] as const),
    ])
    const invalid = new Map([
      ['c0', 'ann\u0000'],
      ['c1', 'ann\n'],
    ])
    const service = await start(upstream, {
      authenticate: request => {
        const key = (request.headers.get('authorization') ?? '').slice('Bearer '.length)
        const id = ids.get(key) ?? invalid.get(key)
        return id === undefined ? undefined : { id }
      },
      limits: withLimits([requests(1).per('day')]),
      cache: responseCache({ ttlMs: 60_000 }),
      idempotency: idempotency(),
    })
    const fields = { model: 'm', temperature: 0 }
    for (const [key, id] of ids) {
      const { status, headers } = await service.site.chat(fields, {
        key,
        headers: { 'idempotency-key': 'k' },
      })
      expect([id, status, headers['x-sluice-cache'], headers['idempotency-replayed']]).toEqual([
        id,
        200,
        'miss',
        undefined,
      ])
    }
    // An authenticator that does not refuse it fails.
    for (const key of invalid.keys()) expect((await service.site.chat(fields, { key })).status).toBe(500)
    expect(upstream.requests).toHaveLength(ids.size)
  })
})

describe('a caller who wants to know of others', () => {
  it('tries keys: one that never was, one that is disabled, and one that has expired are refused alike', async () => {
    const records = new Map<string, ApiKeyRecord>([
      [hashApiKey('key-ann'), { id: 'ann' }],
      [hashApiKey('key-disabled'), { id: 'dee', disabled: true }],
      [hashApiKey('key-expired'), { id: 'eve', expiresAt: 1 }],
      [hashApiKey('key-scoped'), { id: 'cem', models: [], disabled: true }],
    ])
    const upstream = await upstreamDuring()
    const { site } = await start(upstream, { authenticate: apiKeys(digest => records.get(digest)) })
    const shown = async (key: string) => {
      const { status, rawHeaders, json } = await site.chat({ model: 'm' }, { key })
      const names = rawHeaders.map(([name, value]) => [
        name,
        /^(?:date|x-request-id|request-id)$/i.test(name) ? '' : value,
      ])
      return { status, names, json }
    }
    const unknown = await shown('key-nobody')
    expect(unknown.status).toBe(401)
    for (const key of ['key-disabled', 'key-expired', 'key-scoped', 'KEY-ANN', 'key-an']) {
      expect(await shown(key)).toEqual(unknown)
    }
  })

  it('asks how a request was routed: no header, error or answer names a target', async () => {
    const failing = await upstreamDuring(
      steps.reply(
        { error: { message: 'org-secret of tenant ann is over quota at vendor' } },
        { status: 500 },
      ),
    )
    const upstream = await upstreamDuring()
    const provider = (name: string, { baseURL }: Upstream) =>
      openaiCompatible({ name, baseURL, apiKey: upstreamKey })
    const service = await start(upstream, {
      models: {
        m: [provider('hidden-one', failing)('hidden-a'), provider('hidden-two', upstream)('hidden-b')],
        only: provider('hidden-one', failing)('hidden-a'),
      },
    })
    const wishes = {
      'x-sluice-trace': 'true',
      'x-sluice-debug': '1',
      'x-explain': '1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    for (const fields of [
      {},
      { stream: true },
      { model: 'only' },
      { model: 'only', stream: true },
      { model: 'x' },
    ]) {
      const { received } = await ask(service, 'mallory', { ...fields, debug: true, explain: true }, wishes)
      expect(Buffer.from(received).toString('latin1')).not.toMatch(
        /hidden|x-sluice-trace|org-secret|127\.0\.0\.1/,
      )
    }
    for (const path of ['/explain', '/targets', '/traces', '/models/m/targets', '//console/api/targets']) {
      const { status } = await service.site.get(path, { key: 'key-mallory' })
      expect([path, status]).toEqual([path, 404])
    }
  })

  it('lists models, and asks for those of others: both say the same of one that is not theirs', async () => {
    const upstream = await upstreamDuring()
    const target = openaiCompatible({ name: 'v', baseURL: upstream.baseURL, apiKey: upstreamKey })('v')
    const { site } = await start(upstream, {
      models: { m: target, 'anns-secret-model': target },
      authenticate: apiKeys([
        { id: 'mallory', key: 'key-mallory', models: ['m'] },
        { id: 'ann', key: 'key-ann' },
      ]),
    })
    const listed = await site.get('/models', { key: 'key-mallory' })
    expect(listed.body).toContain('"m"')
    expect(listed.body).not.toContain('secret')
    for (const spelling of [
      'anns-secret-model',
      'ANNS-SECRET-MODEL',
      'anns-secret-model ',
      'm/../anns-secret-model',
    ]) {
      const { status } = await site.chat({ model: spelling }, { key: 'key-mallory' })
      expect([spelling, status]).toEqual([spelling, expect.toBeOneOf([400, 403, 404])])
    }
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a caller who spoils what is stored', () => {
  it('holds idempotency keys by requests that are refused: none stays held', async () => {
    const upstream = await upstreamDuring()
    const service = await start(upstream, {
      limits: withLimits([requests(1).per('day')]),
      idempotency: idempotency(),
    })
    const keyed = (name: Name, index: number) =>
      ask(service, name, { user: String(index) }, { 'idempotency-key': `k${index}` })
    expect((await keyed('mallory', 0)).status).toBe(200)
    for (let round = 0; round < 21; round++) {
      const answers = await Promise.all(times(50, index => keyed('mallory', 1 + round * 50 + index)))
      expect(statuses(answers)).toEqual([429])
    }
    expect((await keyed('mallory', 0)).headers['idempotency-replayed']).toBe('true')
    expect((await keyed('ann', 0)).status).toBe(200)
  })

  it('takes whole answers and reads none: the other is answered, and each is cut off after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const upstream = await upstreamDuring(steps.reply(completion({ text: 'x'.repeat(16_000_000) })))
    const service = await start(upstream)
    const unread = await Promise.all(
      times(3, async () => {
        const client = await connectRawClient({ port: service.site.port, paused: true })
        onTestFinished(() => client.close())
        await client.send(bytesOf(service))
        return client
      }),
    )
    await expect.poll(() => service.ends.length).toBe(3)
    expect((await ask(service, 'ann')).status).toBe(200)
    vi.advanceTimersByTime(60_000)
    for (const client of unread) {
      client.resume()
      await client.waitForEnd()
      expect((await client.response())?.complete).toBe(false)
    }
  })
})

describe('somebody who has a page in the browser of a developer', () => {
  it('reaches sluice dev by other spellings of a name, or by none: it is refused', async () => {
    const dev = await runningDev()
    const { port } = new URL(dev.baseURL)
    const heads = [
      'GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1.evil.example',
      `GET /v1/models HTTP/1.1\r\nHost: evil.example:${port}`,
      'GET http://evil.example/v1/models HTTP/1.1\r\nHost: evil.example',
      'GET /v1/models HTTP/1.1\r\nHost: localhost@evil.example',
      'GET /v1/models HTTP/1.1\r\nHost: evil.example#localhost',
      'GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nHost: localhost',
      'GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost',
      'GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nForwarded: host=localhost',
      'GET /v1/models HTTP/1.1\r\nHost: localhost, evil.example',
      'GET /v1/models HTTP/1.1\r\nHost: evil.localhost.example',
      'GET /v1/models HTTP/1.1\r\nHost: \u00e9localhost',
      'GET /v1/models HTTP/1.1\r\nHost:',
      'GET /v1/models HTTP/1.1',
    ]
    for (const head of heads) {
      const client = await connectRawClient({ port: Number(port) })
      onTestFinished(() => client.close())
      await client.send(`${head}\r\nAuthorization: Bearer ${dev.key}\r\nConnection: close\r\n\r\n`)
      const status = (await client.response())?.status
      expect([head, status]).toEqual([head, expect.toBeOneOf([400, 403])])
    }
  })
})

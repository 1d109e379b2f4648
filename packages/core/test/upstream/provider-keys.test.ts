import { describe, expect, it } from 'vitest'
import type { DiscardedCallEvent, ProviderKeyEvent, TargetEvent } from '../../src/contracts/events.ts'
import type { Provider, Target } from '../../src/contracts/provider.ts'
import { ConfigurationError } from '../../src/errors/configuration-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { seededRandom } from '../../src/primitives/seeded-random.ts'
import { models } from '../../src/routing/models.ts'
import { accepted, equalKeys, type KeyedVendor, keyedVendor, rejected } from '../support/keyed-provider.ts'
import { eventsOf, forever, scripted, serving, stream, text, whole } from '../support/scripted-gateway.ts'

/** A gateway with one vendor; `as` calls it as a principal and resolves with status, text and headers. */
function site(vendor: KeyedVendor, options: Partial<GatewayOptions> = {}, targets?: readonly Target[]) {
  const served = serving(targets ?? vendor.target, {
    breaker: {},
    random: seededRandom(7),
    traceHeader: () => true,
    authenticate: request => ({ id: request.headers.get('x-id') ?? 'ann' }),
    ...options,
  })
  const as = async (id: string, body: object = {}) => {
    const response = await served.post(body, {
      headers: { 'content-type': 'application/json', 'x-id': id },
    })
    return { status: response.status, body: await response.text(), headers: response.headers }
  }
  const ofKeys = () =>
    served.events.filter((event): event is ProviderKeyEvent => event.type === 'provider_key')
  const ofTargets = () => served.events.filter((event): event is TargetEvent => event.type === 'target')
  const attempts = () => served.ends().at(-1)!.attempts
  /** Calls it as ann until a condition is true. All responses are 200. */
  const until = async (isDone: () => boolean) => {
    for (let calls = 0; !isDone(); calls++) {
      expect(calls).toBeLessThan(100)
      expect((await as('ann')).status).toBe(200)
    }
  }
  return { ...served, as, until, ofKeys, ofTargets, attempts }
}

/** All that a gateway reports, with the properties that loggers print of errors. */
function printed(value: unknown, visited = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (visited.has(value)) return ''
  visited.add(value)
  const members =
    value instanceof Error
      ? [value.message, value.stack, value.cause, ...Object.values(value)]
      : Object.values(value)
  return members.map(member => printed(member, visited)).join('\n')
}

const content = (body: string) => JSON.parse(body).choices[0].message.content

describe('a provider with several keys', () => {
  it('distributes calls by weight, the same way for the same seed', async () => {
    let draws = 0
    const vendor = keyedVendor([
      { id: 'large', weight: 3 },
      { id: 'small', weight: 1 },
      { id: 'spare', weight: 0 },
    ])
    // The seed of each request.
    const { as, ends } = site(vendor, { random: () => (draws++ % 1_000) / 1_000 })
    for (let index = 0; index < 400; index++) await as('ann')
    const count = (key: string) => vendor.used.filter(each => each === key).length
    expect(count('large')).toBeGreaterThan(260)
    expect(count('large')).toBeLessThan(340)
    expect(count('small')).toBe(400 - count('large'))
    const again = keyedVendor(vendor.target.provider.keys!)
    draws = 0
    const second = site(again, { random: () => (draws++ % 1_000) / 1_000 })
    for (let index = 0; index < 400; index++) await second.as('ann')
    expect(again.used).toEqual(vendor.used)
    expect(ends().map(({ attempts }) => attempts[0]!.key)).toEqual(vendor.used)
  })

  it.each([
    ['a 429', 429, undefined, 'rate_limited'],
    ['a 401', 401, undefined, 'upstream_auth'],
    ['a 402', 402, undefined, 'insufficient_quota'],
    ['a 429 for its quota', 429, 'insufficient_quota', 'insufficient_quota'],
  ])(
    'answers the same request with another key after %s, and does not use the first one again',
    async (_, status, code, reason) => {
      for (const streamed of [false, true]) {
        const vendor = keyedVendor(equalKeys('key 1', 'key 2'))
        vendor.set('key 1', rejected(status, 30_000, code))
        const { as, attempts, ofKeys, ofTargets, events } = site(vendor)
        for (let calls = 0; !vendor.used.includes('key 1'); calls++) {
          expect(calls).toBeLessThan(50)
          const { status: got, body } = await as('ann', { stream: streamed })
          expect(got).toBe(200)
          if (streamed) expect(eventsOf(body).at(-1)).toBe('[DONE]')
          else expect(content(body)).toBe('key 2')
        }
        expect(attempts()).toMatchObject([
          { key: 'key 1', why: 'first', called: true, status },
          { key: 'key 2', why: 'retry', called: true, waitedMs: 0, status: undefined, error: undefined },
        ])
        expect(events.filter(({ type }) => type === 'attempt_failed')).toMatchObject([
          { attempt: { key: 'key 1', status } },
        ])
        vendor.used.length = 0
        for (let index = 0; index < 20; index++) expect((await as('ann')).status).toBe(200)
        expect(vendor.used).toEqual(Array.from({ length: 20 }, () => 'key 2'))
        expect(ofKeys()).toMatchObject([{ key: 'key 1', state: 'cooldown', reason, scope: 'principal' }])
        expect(ofTargets()).toEqual([])
      }
    },
  )

  it('tries each key once beyond maxAttempts, then the next target', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b', 'c', 'd', 'e'))
    for (const key of ['a', 'b', 'c', 'd', 'e']) vendor.set(key, rejected(429, 30_000))
    const other = scripted(() => whole('other'), { name: 'south' })
    const { as, attempts } = site(vendor, { maxAttempts: 2 }, [vendor.target, other.target])
    const { status, body } = await as('ann')
    expect([status, content(body)]).toEqual([200, 'other'])
    expect(vendor.used.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(attempts().at(-1)).toMatchObject({ provider: 'south', why: 'fallback' })
    expect(attempts().at(-1)).not.toHaveProperty('key')
  })

  it('counts no failure of a key for the circuit breaker, and counts those of the target', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    vendor.set('a', rejected(401))
    const { as, ofTargets, attempts } = site(vendor, { breaker: { failures: 1 } })
    for (const id of ['ann', 'bob', 'cem', 'dee', 'eve', 'fay']) expect((await as(id)).status).toBe(200)
    expect(ofTargets()).toEqual([])
    vendor.set('b', rejected(503))
    expect((await as('ann')).status).toBe(503)
    // A 503 is no reason to use another key.
    expect(attempts()).toHaveLength(1)
    expect(ofTargets()).toMatchObject([{ state: 'open' }])
  })

  it('is unavailable when all keys are in cooldown, for as long as the shortest', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b', 'c'))
    vendor.set('a', rejected(429, 40_000))
    vendor.set('b', rejected(429, 20_000))
    vendor.set('c', rejected(401))
    const { as, ofTargets, attempts, ends } = site(vendor)
    const first = await as('ann')
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '20'])
    expect(attempts()).toHaveLength(3)
    expect(ends()[0]).toMatchObject({ outcome: 'upstream_failed' })
    expect(ofTargets()).toMatchObject([{ state: 'cooldown', reason: 'rate_limited', scope: 'principal' }])
    expect(ofTargets()[0]!.waitMs).toBeGreaterThan(15_000)
    expect(ofTargets()[0]!.waitMs).toBeLessThanOrEqual(20_000)
    vendor.used.length = 0
    const second = await as('ann')
    // The rejected key is a last resort, at most once a second: the others are limited by the vendor.
    expect(vendor.used.filter(key => key !== 'c')).toEqual([])
    expect(second.status).toBe(429)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('waits for the key that is available first, where the request may wait', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    let limited = true
    const once = (ms: number) => rejected(429, ms)
    vendor.set('a', call => (limited ? once(30_000)(call) : accepted(call)))
    vendor.set('b', call => (limited ? once(1_000)(call) : accepted(call)))
    const { as, attempts } = site(vendor, { retry: {} })
    const answer = as('ann')
    await expect.poll(() => vendor.used.toSorted()).toEqual(['a', 'b'])
    limited = false
    expect((await answer).status).toBe(200)
    expect(attempts()).toHaveLength(3)
    expect(attempts()[2]).toMatchObject({ key: 'b', why: 'retry' })
    expect(attempts()[2]!.waitedMs).toBeGreaterThan(900)
  })

  it('takes a 403 for the fault of a key only if another key is accepted', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    for (const key of ['a', 'b']) vendor.set(key, rejected(403))
    const { as, until, ofKeys, ofTargets, attempts } = site(vendor, { breaker: { failures: 2 } })
    expect((await as('ann')).status).toBe(502)
    expect(attempts()).toHaveLength(2)
    expect([ofKeys(), ofTargets()]).toEqual([[], []])
    vendor.set('b', accepted)
    await until(() => vendor.used.slice(2).includes('a'))
    expect(ofKeys()).toMatchObject([{ key: 'a', state: 'cooldown', reason: 'upstream_auth' }])
    vendor.used.length = 0
    for (let index = 0; index < 10; index++) await as('ann')
    expect(vendor.used).not.toContain('a')
    expect(ofTargets()).toEqual([])
  })

  it('does not rest a key for others because of one principal, but because of two', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    for (const key of ['a', 'b']) vendor.set(key, rejected(429, 60_000))
    const { as, ofKeys, ofTargets } = site(vendor)
    expect((await as('mallory')).status).toBe(429)
    expect(ofKeys().map(({ scope }) => scope)).toEqual(['principal', 'principal'])
    for (const key of ['a', 'b']) vendor.set(key, accepted)
    vendor.used.length = 0
    expect((await as('mallory')).status).toBe(429)
    expect(vendor.used).toEqual([])
    for (let index = 0; index < 20; index++) expect((await as('ann')).status).toBe(200)
    expect(new Set(vendor.used)).toEqual(new Set(['a', 'b']))
    for (const key of ['a', 'b']) vendor.set(key, rejected(429, 60_000))
    expect((await as('ann')).status).toBe(429)
    expect(
      ofKeys()
        .slice(2)
        .map(({ scope }) => scope),
    ).toEqual(['all', 'all'])
    vendor.used.length = 0
    expect((await as('bob')).status).toBe(429)
    expect(vendor.used).toEqual([])
    expect(ofTargets().map(({ state, scope }) => [state, scope])).toEqual([
      ['cooldown', 'principal'],
      ['cooldown', 'all'],
    ])
  })

  it('works without a circuit breaker: each request tries each key', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    vendor.set('a', rejected(429, 60_000))
    const { as, ofKeys } = site(vendor, { breaker: false })
    for (let index = 0; index < 20; index++) expect((await as('ann')).status).toBe(200)
    expect(vendor.used.filter(key => key === 'a').length).toBeGreaterThan(2)
    vendor.set('b', rejected(429, 60_000))
    vendor.used.length = 0
    expect((await as('ann')).status).toBe(429)
    expect(vendor.used.toSorted()).toEqual(['a', 'b'])
    expect(ofKeys()).toEqual([])
  })

  it('does not use another key once a stream has content', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    const breaking = async () => {
      const error = await Promise.resolve(rejected(429, 30_000)({} as never)).catch((error: Error) => error)
      return stream([text('begun')], error as Error)
    }
    for (const key of ['a', 'b']) vendor.set(key, breaking)
    const { as, ofKeys } = site(vendor)
    const { status, body } = await as('ann', { stream: true })
    expect([status, vendor.used.length]).toEqual([200, 1])
    expect(body).not.toContain('[DONE]')
    expect(ofKeys()).toMatchObject([{ key: vendor.used[0], state: 'cooldown' }])
  })

  it('is used by hedges and mirrored calls with its keys', async () => {
    const vendor = keyedVendor(equalKeys('a', 'b'))
    vendor.set('a', rejected(401))
    const slow = scripted(forever, { name: 'south' })
    const hedged = site(vendor, {
      route: () => [{ ...slow.target, hedgeAfterMs: 1 }, vendor.target],
    })
    for (let index = 0; index < 6; index++) await hedged.as(`id-${index}`)
    const hedges = hedged.ends().map(({ attempts }) => attempts.filter(({ why }) => why === 'hedge'))
    expect(hedges.flat()).toHaveLength(6)
    expect(hedges.flat().every(({ key }) => key === 'a' || key === 'b')).toBe(true)
    expect(hedged.ofKeys().map(({ key }) => key)).toContain('a')
    vendor.used.length = 0
    const main = scripted(() => whole('main'), { name: 'south' })
    const mirrored = site(vendor, { route: () => [{ ...main.target, shadows: [vendor.target] }] })
    await mirrored.as('ann')
    const discarded = () =>
      mirrored.events.filter((event): event is DiscardedCallEvent => event.type === 'discarded_call')
    await expect.poll(() => discarded()).toHaveLength(1)
    expect(discarded()[0]!.attempt.key).toBe(vendor.used[0])
    expect(mirrored.ends()[0]!.attempts[0]).not.toHaveProperty('key')
  })

  it('shows the keys in cooldown in the trace, explain and the targets', async () => {
    const vendor = keyedVendor(equalKeys('key 1', 'key 2'))
    vendor.set('key 1', rejected(429, 30_000))
    const { as, until, ends, gateway, ofKeys } = site(vendor)
    await until(() => ofKeys().length > 0)
    const { headers } = await as('ann')
    const trace = JSON.parse(headers.get('x-sluice-trace')!)
    const skippedKeys = [
      { key: 'key 1', why: 'cooldown', waitMs: expect.any(Number), detail: 'rate_limited' },
    ]
    expect(trace.candidates).toMatchObject([{ provider: 'north', skippedKeys }])
    expect(trace.attempts).toMatchObject([{ key: 'key 2' }])
    expect(ends().at(-1)!.trace.candidates).toMatchObject([{ skippedKeys }])
    const request = new Request('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    const explained = await gateway.explain(request)
    expect(explained.refusal).toBeUndefined()
    expect(explained.candidates).toMatchObject([{ provider: 'north', skippedKeys }])
    expect(explained.candidates[0]).not.toHaveProperty('skipped')
    expect(gateway.targets()[0]!.targets[0]!.health).toMatchObject({
      state: 'closed',
      keys: [
        { id: 'key 1', reason: 'rate_limited' },
        { id: 'key 2', waitMs: 0 },
      ],
    })
  })

  it('reports no secret of a key', async () => {
    const vendor = keyedVendor(equalKeys('key 1', 'key 2'))
    const bodies: string[] = []
    const { as, events } = site(vendor)
    for (const status of [401, 403, 429, 402]) {
      for (const key of ['key 1', 'key 2']) vendor.set(key, rejected(status))
      for (const id of ['ann', 'bob']) {
        const { body, headers } = await as(`${id}-${status}`, { stream: status === 401 })
        bodies.push(body, JSON.stringify([...headers]))
      }
    }
    expect(events.some(({ type }) => type === 'provider_key')).toBe(true)
    expect(bodies.join()).not.toContain('sk-secret')
    expect(printed(events)).not.toContain('sk-secret')
  })

  it('gives a provider without keys no key', async () => {
    const seen: object[] = []
    const plain = scripted(() => whole('hi'), {
      encode: call => {
        seen.push(call)
        return { method: 'POST', url: 'scripted:', headers: {} }
      },
    })
    const { post, ends, gateway } = serving(plain.target, { breaker: {} })
    await post({})
    expect(seen[0]).not.toHaveProperty('key')
    expect(ends()[0]!.attempts[0]).not.toHaveProperty('key')
    expect(gateway.targets()[0]!.targets[0]!.health).not.toHaveProperty('keys')
  })

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['no list', 'key 1'],
    ['an entry that is none', [null]],
    ['an id twice', equalKeys('a', 'a')],
    ['an empty id', equalKeys('')],
    ['an id of two lines', equalKeys('a\nb')],
    ['a long id', equalKeys('a'.repeat(65))],
    ['a negative weight', [{ id: 'a', weight: -1 }]],
    ['a weight that is no number', [{ id: 'a', weight: '1' }]],
    ['weights of 0 alone', [{ id: 'a', weight: 0 }]],
    ['101 keys', equalKeys(...Array.from({ length: 101 }, (_, index) => `key ${index}`))],
  ])('is refused with %s', (_, keys) => {
    const { target } = keyedVendor(equalKeys('a'), { keys: keys as NonNullable<Provider['keys']> })
    expect(() => models({ m: target })).toThrow(ConfigurationError)
    expect(() => models({ m: target })).toThrow(/m\S*\.provider\.keys: got .*expected 1 to 100 entries/)
  })
})

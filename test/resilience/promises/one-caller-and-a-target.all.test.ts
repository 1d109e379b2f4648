import { setTimeout as sleep } from 'node:timers/promises'
import { apiKeys, type GatewayOptions, type SharedHealth, type TargetEvent } from '@sluice/core'
import { redisHealth } from '@sluice/redis'
import {
  findClosedPort,
  type Reaction,
  type Script,
  type Steps,
  seededRandom,
  startUpstream,
  steps,
} from '@sluice/testing'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mounts } from '../../e2e/mounts/mounts.ts'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { RedisServer } from '../../stores/servers/redis-server.ts'
import { type Service, startService } from '../faults/harness/service.ts'
import { targetAt } from '../faults/harness/target-at.ts'
import { upstreamDuring } from '../faults/harness/upstream.ts'

// What one principal makes a target answer is not told to the others, and a target that works for somebody is asked.

const mount = mounts['node http']!
const names = ['ann', 'bob', 'cem', 'dee', 'eve'] as const
type Name = (typeof names)[number]
const authenticate = apiKeys(names.map(id => ({ id, key: `key-${id}` })))

const failing = (status: number, error: object, headers: Record<string, string> = {}): Steps =>
  steps.reply({ error }, { status, headers })
const internal = failing(500, { message: 'Internal error' })
const well = steps.answer()
const badKey = failing(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' })

/** What a caller can make a vendor answer by a request of its own. */
const provoked: readonly (readonly [what: string, steps: Steps])[] = [
  ['402 with a bound', failing(402, { message: 'You requested 65536 tokens, but can only afford 30104.' })],
  ['402 without one', failing(402, { message: 'Insufficient credits.' })],
  ['401', badKey],
  ['403', failing(403, { message: 'No access to the model.' })],
  ['400 insufficient_quota', failing(400, { message: 'No.', code: 'insufficient_quota' })],
  ['429 that asks for a minute', failing(429, { message: 'Slow down.' }, { 'retry-after': '60' })],
  ['500', internal],
  ['503', failing(503, { message: 'busy' })],
  ['garbage', steps.reply('{"choices":', { status: 200 })],
]

/** Answers as `steps` where the request has a bad pattern, as `other` where it does not. */
const toBad =
  (script: Steps, other: Reaction = well): Reaction =>
  (request, index) =>
    request.body.includes('guided_regex') ? script : reactionTo(other, request, index)

const reactionTo = (
  reaction: Reaction,
  ...given: Parameters<Extract<Reaction, (...given: never) => unknown>>
) => (typeof reaction === 'function' ? reaction(...given) : reaction)

/** Fails a share of its calls, by chance. */
function flaky(failures: number, seed: number): Reaction {
  const chance = seededRandom(seed)
  return (...given) => (chance() < failures ? internal : reactionTo(well, ...given))
}

const ask = ({ site }: Service, name: Name, bad = false, fields: object = {}) =>
  site.chat({ model: 'm', ...(bad && { guided_regex: '((((' }), ...fields }, { key: `key-${name}` })

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status)

const share = (answers: readonly { readonly status: number }[]) =>
  answers.filter(({ status }) => status === 200).length / answers.length

const parts = {
  authenticate,
  breaker: {},
  retry: { baseMs: 5, maxMs: 20, maxRetryAfterMs: 1_000 },
} satisfies Partial<GatewayOptions>

describe('what one principal makes a target answer', () => {
  it.each(provoked)('is told to nobody else: %s', async (_, script) => {
    const upstream = await upstreamDuring(toBad(script))
    const service = await startService(mount, { ...parts, models: { m: upstream } })
    const good = []
    for (let minute = 0; minute < 3; minute++) {
      for (let index = 0; index < 20; index++) {
        await ask(service, 'ann', true)
        if (index % 2 === 0) good.push(await ask(service, 'bob', false, { stream: index % 4 === 0 }))
      }
    }
    expect(share(good)).toBe(1)
  })

  it('is told to nobody else, also where it comes faster than what others ask', async () => {
    const upstream = await upstreamDuring(toBad(internal))
    const service = await startService(mount, { ...parts, models: { m: upstream } })
    const good = []
    for (let index = 0; index < 20; index++) {
      await Promise.all(Array.from({ length: 30 }, () => ask(service, 'ann', true)))
      good.push(await ask(service, 'bob'))
    }
    expect(share(good)).toBe(1)
  })

  it('does not make the failures of a vendor that fails now and then into an outage', async () => {
    const upstream = await upstreamDuring(toBad(internal, flaky(0.1, 11)))
    const service = await startService(mount, { ...parts, retry: false, models: { m: upstream } })
    const good = [await ask(service, 'bob')]
    expect(share(good)).toBe(1)
    for (let index = 0; index < 150; index++) {
      await Promise.all([ask(service, 'ann', true), ask(service, 'ann', true)])
      good.push(await ask(service, 'bob'))
    }
    expect(share(good)).toBeGreaterThanOrEqual(0.82)
  })
})

describe('a vendor that fails half of its calls', () => {
  it.each([1, 2, 5])('answers about half of the requests of %i principals', async count => {
    const upstream = await upstreamDuring(flaky(0.5, count))
    const service = await startService(mount, { ...parts, retry: false, models: { m: upstream } })
    expect(share(await many([service], count))).toBeGreaterThanOrEqual(0.42)
  })

  it('is not asked more often than it answers by more than its budget of repeats', async () => {
    const upstream = await upstreamDuring(flaky(0.5, 11))
    const service = await startService(mount, {
      ...parts,
      models: { m: upstream },
      retry: { baseMs: 1, maxMs: 5 },
    })
    const answers = await many([service], 3)
    expect(share(answers)).toBeGreaterThanOrEqual(0.5)
    expect(upstream.requests.length).toBeLessThanOrEqual(1.2 * answers.length + 3)
  })
})

describe('a vendor that is dead', () => {
  it.each<[string, Script, number]>([
    ['answers 500', internal, 503],
    ['answers 503', failing(503, { message: 'busy' }), 503],
    ['drops connections', steps.cut(), 502],
  ])(
    'is left alone where a single principal asks it, and asked again soon: it %s',
    async (_, script, told) => {
      const upstream = await upstreamDuring(script)
      const service = await startService(mount, { ...parts, retry: false, models: { m: upstream } })
      for (let index = 0; index < 5; index++) await ask(service, 'ann')
      expect(upstream.requests).toHaveLength(5)
      const refused = await Promise.all(Array.from({ length: 50 }, () => ask(service, 'ann')))
      expect(new Set(statuses(refused))).toEqual(new Set([told]))
      expect(upstream.requests.length).toBeLessThanOrEqual(6)
      upstream.respondWith(steps.answer())
      const from = performance.now()
      await expect.poll(async () => (await ask(service, 'ann')).status, { timeout: 5_000 }).toBe(200)
      expect(performance.now() - from).toBeLessThan(3_500)
      expect((await ask(service, 'bob')).status).toBe(200)
    },
  )

  it('is left alone by all as soon as a second principal saw it fail, and asked about once a second', async () => {
    const upstream = await upstreamDuring(internal)
    const service = await startService(mount, { ...parts, retry: false, models: { m: upstream } })
    for (let index = 0; index < 5; index++) await ask(service, 'ann')
    for (let index = 0; index < 10; index++) await ask(service, 'bob')
    expect(upstream.requests.length).toBeLessThanOrEqual(8)
    const before = upstream.requests.length
    const from = performance.now()
    while (performance.now() - from < 2_500) {
      await Promise.all(names.map(name => ask(service, name)))
      await sleep(20)
    }
    expect(upstream.requests.length - before).toBeGreaterThanOrEqual(1)
    expect(upstream.requests.length - before).toBeLessThanOrEqual(4)
    const scopes = service.events.filter((event): event is TargetEvent => event.type === 'target')
    expect(scopes.map(({ scope }) => scope).slice(0, 2)).toEqual(['principal', 'all'])
  })

  it('was well until it died, and is left alone after some calls', async () => {
    const upstream = await upstreamDuring(steps.answer())
    const service = await startService(mount, { ...parts, retry: false, models: { m: upstream } })
    expect((await ask(service, 'ann')).status).toBe(200)
    upstream.respondWith(internal)
    for (let index = 0; index < 100; index++) await ask(service, 'ann')
    // Five open it, twenty in a row say that nothing is answered any more; then it is asked now and then.
    expect(upstream.requests.length).toBeLessThanOrEqual(24)
  })
})

describe('a vendor that refuses the gateway’s own key', () => {
  it('is told as that each time, and the owner is told which one, why, and since when', async () => {
    const upstream = await upstreamDuring(badKey)
    const service = await startService(mount, { ...parts, models: { m: upstream } })
    const answers = []
    const from = performance.now()
    while (performance.now() - from < 2_500) {
      answers.push(await ask(service, 'ann'), await ask(service, 'bob', false, { stream: true }))
      await sleep(50)
    }
    for (const { status, json, body } of answers) {
      expect(status).toBe(502)
      expect(json).toMatchObject({ error: { type: 'server_error', code: 'upstream_auth', param: null } })
      expect(body).not.toMatch(/vendor|incorrect|127\.0\.0\.1/i)
    }
    // Both saw it; from then on it is asked now and then: somebody may have mended the key.
    expect(upstream.requests.length).toBeLessThanOrEqual(6)
    const refused = service.ends.filter(({ attempts }) => attempts.length === 0)
    expect(refused.length).toBeGreaterThan(answers.length / 2)
    for (const { error, trace } of refused) {
      expect(error).toMatchObject({ reason: 'upstream_auth' })
      expect(trace.candidates).toMatchObject([
        { provider: 'vendor', model: 'its-model', skipped: { why: 'cooldown', detail: 'upstream_auth' } },
      ])
    }
    const [target] = service.gateway.targets()[0]!.targets
    expect(target).toMatchObject({
      provider: 'vendor',
      health: { state: 'cooldown', reason: 'upstream_auth', scope: 'all' },
    })
    expect(target!.health.unavailableMs).toBeGreaterThan(1_000)
    const told = service.events.filter((event): event is TargetEvent => event.type === 'target')
    expect(told[0]).toMatchObject({ provider: 'vendor', state: 'cooldown', reason: 'upstream_auth' })
    upstream.respondWith(steps.answer())
    await expect.poll(async () => (await ask(service, 'ann')).status, { timeout: 5_000 }).toBe(200)
    expect((await ask(service, 'bob')).status).toBe(200)
  })
})

describe('the reason why no target is asked', () => {
  const slow = failing(429, { message: 'Slow down.' }, { 'retry-after': '30' })
  const broke = failing(402, { message: 'No credits.' })

  it.each<[string, readonly Script[], number, string]>([
    ['overloaded', [internal], 503, 'server_is_overloaded'],
    ['rate limited', [slow], 429, 'rate_limit_exceeded'],
    ['unreachable', [steps.cut()], 502, 'bad_gateway'],
    ['without credit', [broke], 429, 'insufficient_quota'],
    ['of several the one that passes soonest: rate limited', [internal, slow], 429, 'rate_limit_exceeded'],
    ['of several the one that passes soonest: overloaded', [badKey, internal], 503, 'server_is_overloaded'],
    ['of several the one that passes soonest: unreachable', [badKey, steps.cut()], 502, 'bad_gateway'],
    ['of several the one that passes soonest: credit', [badKey, broke], 429, 'insufficient_quota'],
  ])('is told by its class: %s', async (_, scripts, status, code) => {
    const upstreams = await Promise.all(scripts.map(script => upstreamDuring(script)))
    const service = await startService(mount, {
      ...parts,
      retry: false,
      breaker: { failures: 1 },
      models: { m: upstreams.map(targetAt) },
    })
    await ask(service, 'ann')
    const calls = upstreams.map(({ requests }) => requests.length)
    const refused = await ask(service, 'ann')
    expect([refused.status, refused.json]).toMatchObject([status, { error: { code } }])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(upstreams.map(({ requests }) => requests.length)).toEqual(calls)
  })

  it('is that nobody takes a connection, where nobody does', async () => {
    const port = await findClosedPort()
    const target = targetAt({ baseURL: `http://127.0.0.1:${port}/v1` })
    const service = await startService(mount, { ...parts, retry: false, models: { m: target } })
    for (let index = 0; index < 8; index++) {
      const refused = await ask(service, 'ann')
      expect([refused.status, refused.json]).toMatchObject([502, { error: { code: 'bad_gateway' } }])
    }
    expect(service.ends.filter(({ attempts }) => attempts.length === 0)).toHaveLength(3)
  })
})

describeWithRedis('principals of gateways that share their health', () => {
  it.each(provoked)('are not told what one of them makes a target answer: %s', async (_, script) => {
    const { upstream, services } = await sharing(toBad(script))
    const good = []
    for (let index = 0; index < 40; index++) {
      await Promise.all(services.map(service => ask(service, 'ann', true)))
      for (const service of services) good.push(await ask(service, 'bob'))
      await sleep(30)
    }
    expect(share(good)).toBe(1)
    expect(upstream.requests.length).toBeGreaterThanOrEqual(good.length)
  })

  it('get about half of their answers of a vendor that fails half of its calls', async () => {
    const { services } = await sharing(flaky(0.5, 5), false)
    expect(share(await many(services, 5, 20))).toBeGreaterThanOrEqual(0.42)
  })

  it('leave a dead vendor alone together as soon as two saw it fail, each in a process of its own', async () => {
    const { upstream, services } = await sharing(internal, false)
    const [here, there] = services as [Service, Service]
    await ask(there, 'bob')
    for (let index = 0; index < 5; index++) await ask(here, 'ann')
    for (let index = 0; index < 8; index++) {
      await sleep(300)
      await ask(there, 'bob')
    }
    expect(upstream.requests.length).toBeLessThanOrEqual(11)
    await expect
      .poll(async () => {
        const { status } = await ask(here, 'cem')
        return [status, here.gateway.targets()[0]!.targets[0]!.health.scope]
      })
      .toEqual([503, 'all'])
  })

  it('are stored by no name of theirs', async () => {
    const { server, services } = await sharing(
      failing(429, { message: 'No.' }, { 'retry-after': '9' }),
      false,
    )
    for (const name of names) for (const service of services) await ask(service, name)
    const client = new Redis(server.url)
    onTestFinished(() => client.disconnect())
    await expect.poll(async () => (await client.keys('*:health:*')).length).toBe(1)
    const [key] = await client.keys('*:health:*')
    const kept = JSON.stringify(await client.hgetall(key!))
    expect(kept).toMatch(/"pausefor":"[0-9a-f]{16}"/)
    for (const name of names) expect(kept).not.toContain(name)
  })
})

/** What many requests of so many principals come to, one after another. */
async function many(services: readonly Service[], count: number, pauseMs = 0) {
  const answers = []
  for (let index = 0; index < 300; index++) {
    answers.push(await ask(services[index % services.length]!, names[index % count]!))
    if (pauseMs > 0) await sleep(pauseMs)
  }
  return answers
}

/** Two gateways over one Redis and one upstream. */
async function sharing(script: Script, retry: GatewayOptions['retry'] = parts.retry) {
  const server = await RedisServer.start()
  const upstream = await startUpstream(script)
  const clients = [new Redis(server.url), new Redis(server.port)]
  // Before the services end, which may still tell something.
  onTestFinished(async () => {
    for (const client of clients) client.disconnect()
    await upstream.close()
    await server.stop()
  })
  const start = (health: SharedHealth) =>
    startService(mount, { ...parts, retry, sharedHealth: health, models: { m: upstream } })
  const services = await Promise.all(clients.map(client => start(redisHealth(client))))
  return { server, upstream, services }
}

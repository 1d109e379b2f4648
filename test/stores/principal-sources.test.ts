import { createHmac } from 'node:crypto'
import {
  apiKeys,
  budget,
  createGateway,
  firstOf,
  type GatewayOptions,
  idempotency,
  limits,
  models,
  requests,
  responseCache,
  split,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { memoryCacheStore } from '@sluice/core/store'
import { jwt } from '@sluice/jwt'
import { local } from '@sluice/providers'
import { redisCacheStore, redisLimitStore } from '@sluice/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { impatientClients } from './impatient-clients.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, until } from './servers/redis-server.ts'

const secret = 'a secret of thirty-two bytes ...'
const basics = { issuer: 'https://login.test/', audience: 'chat' }

/** Three callers who are all called `ann`: by a key, by a token, and by a key of somebody else. */
const key = 'sk-ann'
const token = tokenOf({
  sub: 'ann',
  iss: basics.issuer,
  aud: 'chat',
  exp: Math.floor(Date.now() / 1_000) + 600,
})
const partner = 'sk-partner'

const authenticate = firstOf(
  apiKeys([{ id: 'ann', key }]),
  apiKeys([{ id: 'ann', key: partner }], { source: 'partners' }),
  jwt({ ...basics, secret }),
)

function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'HS256' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

function site(options: Partial<GatewayOptions>) {
  const gateway = createGateway({ authenticate, route: models({ demo: local()('demo') }), ...options })
  return async (bearer: string, more: { content?: string; idempotencyKey?: string } = {}) => {
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        ...(more.idempotencyKey !== undefined && { 'idempotency-key': more.idempotencyKey }),
      },
      body: JSON.stringify({
        model: 'demo',
        temperature: 0,
        max_tokens: 20,
        messages: [{ role: 'user', content: more.content ?? 'Hello!' }],
      }),
    })
    const { id } = (await response.json()) as { id?: string }
    return { status: response.status, cache: response.headers.get('x-sluice-cache'), id }
  }
}

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

function scenarios(stores: () => Promise<Pick<Stores, 'counts' | 'answers'>>): void {
  it('share no limit', async () => {
    const { counts } = await stores()
    const limit = limits([requests(1).per('hour')], { store: counts, onStoreFailure: 'closed' })
    const ask = site({ limits: limit })
    for (const bearer of [key, token, partner]) expect(await ask(bearer)).toMatchObject({ status: 200 })
    for (const bearer of [key, token, partner]) expect(await ask(bearer)).toMatchObject({ status: 429 })
  })

  it('share no budget', async () => {
    const { counts } = await stores()
    const limit = limits([budget(1, 'usd').per('month')], { store: counts })
    const ask = site({ limits: limit, prices: () => 0.9 })
    for (const bearer of [key, token, partner]) expect(await ask(bearer)).toMatchObject({ status: 200 })
    for (const bearer of [key, token, partner]) expect(await ask(bearer)).toMatchObject({ status: 429 })
  })

  it('share no cached answer', async () => {
    const { answers } = await stores()
    const ask = site({ cache: responseCache({ ttlMs: 60_000, store: answers }) })
    for (const bearer of [key, token, partner]) expect(await ask(bearer)).toMatchObject({ cache: 'miss' })
    for (const bearer of [key, token, partner]) {
      await until(async () => (await ask(bearer)).cache === 'hit')
    }
  })

  it('share no idempotency key', async () => {
    const { answers } = await stores()
    const ask = site({ idempotency: idempotency({ store: answers }) })
    const got = await Promise.all(
      [key, token, partner].map(bearer => ask(bearer, { idempotencyKey: 'k', content: bearer })),
    )
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(got.map(({ id }) => id)).size).toBe(3)
    await until(async () => (await ask(key, { idempotencyKey: 'k', content: key })).id === got[0]!.id)
  })
}

interface Stores {
  readonly counts: ReturnType<typeof redisLimitStore>
  readonly answers: ReturnType<typeof redisCacheStore>
}

describe('the limits that the claims of a token give', () => {
  it('hold for a gateway without an option for them', async () => {
    const claims = ({ sub = '' }) => ({ id: sub, limits: [requests(1).per('hour')] })
    const ask = site({ authenticate: jwt({ ...basics, secret, claims }) })
    expect([(await ask(token)).status, (await ask(token)).status]).toEqual([200, 429])
  })
})

describe('callers with the same id and other sources, in memory', () => {
  scenarios(async () => ({ counts: memoryLimitStore(), answers: memoryCacheStore() }))

  it('can be in other arms of a split by key', async () => {
    const arms: Record<string, readonly [ReturnType<ReturnType<typeof local>>, number]> = {}
    for (let at = 0; at < 16; at++) arms[`arm-${at}`] = [local()(`m${at}`), 1 / 16]
    const gateway = createGateway({
      authenticate,
      route: models({ demo: split(arms, 'key') }),
      traceHeader: true,
    })
    const armOf = async (bearer: string) => {
      const request = new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }),
      })
      return JSON.stringify((await gateway.explain(request)).candidates)
    }
    const found = await Promise.all([key, token, partner].map(armOf))
    expect(new Set(found).size).toBeGreaterThan(1)
    expect(await Promise.all([key, token, partner].map(armOf))).toEqual(found)
  })
})

describeWithRedis('callers with the same id and other sources, in Redis', () => {
  scenarios(async () => {
    const server = await RedisServer.start()
    open.push({ close: () => server.stop() })
    const impatient = impatientClients.ioredis(server)
    open.push(impatient)
    const answers = redisCacheStore(impatient.client)
    await until(async () => {
      try {
        await answers.get({ owner: 'none', name: 'none' })
        return true
      } catch {
        return false
      }
    })
    return { counts: redisLimitStore(impatient.client), answers }
  })
})

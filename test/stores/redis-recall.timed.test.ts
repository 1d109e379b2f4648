import {
  apiKeys,
  createGateway,
  type EndEvent,
  type Gateway,
  idempotency,
  models,
  responseCache,
  type StoreEvent,
} from '@sluice/core'
import { local } from '@sluice/providers'
import { redisCacheStore } from '@sluice/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { impatientClients } from './impatient-clients.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, until } from './servers/redis-server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

function storeOver(name: keyof typeof impatientClients, server: RedisServer) {
  const impatient = impatientClients[name](server)
  open.push(impatient)
  return redisCacheStore(impatient.client)
}

describeWithRedis('answers in Redis', () => {
  describe.each(['ioredis', 'node-redis'] as const)('over %s', name => {
    it('are answered once by several gateways, and given by each', async () => {
      const server = await started()
      const sites = [1, 2, 3].map(() => siteOver(storeOver(name, server)))
      for (const site of sites) await until(async () => (await site.keyed('warm')).status === 200)
      const calls = () => sites.flatMap(({ ends }) => ends.filter(called)).length
      const crowd = (key: string) => sites.flatMap(site => Array.from({ length: 10 }, () => site.keyed(key)))
      let key = ''
      let asked = 0
      let got: { readonly status: number }[] = []
      do {
        key += 'k'
        asked = calls()
        got = await Promise.all(crowd(key))
        // Where the machine is too busy for a store to answer within 50 ms, this shows nothing.
      } while (got.some(({ status }) => status === 503) && key.length < 5)
      expect(new Set(got.map(({ status }) => status))).toEqual(new Set([200, 409]))
      expect(calls()).toBe(asked + 1)
      const bodies = await Promise.all(sites.map(async site => (await site.keyed(key)).body))
      expect(new Set(bodies).size).toBe(1)

      const [one, two] = sites
      const first = await one!.cached()
      await until(async () => (await server.command('KEYS', '{sluice:answers:*:text:cache:*')) !== '')
      expect(await two!.cached()).toMatchObject({ cache: 'hit', body: first.body })
    })

    it('frozen: some requests wait 50 ms, then none; it is used again when it goes on', async () => {
      const server = await started()
      const site = siteOver(storeOver(name, server))
      await until(async () => (await site.cached()).cache === 'hit')
      // It may not have been connected at first.
      const before = site.events.length
      const told = () => site.events.slice(before).map(({ store, state }) => `${store} ${state}`)
      server.freeze()
      const waits: number[] = []
      for (let index = 0; index < 20; index++) {
        const from = performance.now()
        expect(await site.cached()).toMatchObject({ status: 200, cache: 'miss' })
        waits.push(performance.now() - from)
      }
      // Of the later ones: a busy machine makes one or the other of them slow.
      const [median = 0] = waits
        .slice(-11)
        .sort((a, b) => a - b)
        .slice(5)
      expect(median).toBeLessThan(45)
      expect(await site.keyed('k')).toMatchObject({ status: 503, code: 'idempotency_unavailable' })
      expect(told()).toEqual(['answers failing'])
      server.thaw()
      await until(async () => (await site.cached()).cache === 'hit')
      await until(async () => (await site.keyed('other')).status === 200)
      expect(told()).toEqual(['answers failing', 'answers working'])
    })

    it('killed and started again: misses and 503 meanwhile, and what was kept is asked anew', async () => {
      const server = await started()
      const site = siteOver(storeOver(name, server))
      await until(async () => (await site.keyed('k')).replayed === 'true')
      const { body } = await site.keyed('k')
      await server.kill()
      await until(async () => (await site.keyed('k')).status === 503)
      expect(await site.cached()).toMatchObject({ status: 200, cache: 'miss' })
      await server.restart()
      // Its client has the answer before the server has.
      await until(async () => (await site.keyed('k')).replayed === 'true')
      const again = await site.keyed('k')
      expect(again.body).not.toBe(body)
    })
  })
})

async function started(): Promise<RedisServer> {
  const server = await RedisServer.start()
  open.push({
    close: () => {
      server.thaw()
      return server.stop()
    },
  })
  return server
}

const called = ({ attempts }: EndEvent) => attempts.length > 0

interface Got {
  readonly status: number
  readonly code: string | undefined
  readonly cache: string | null
  readonly replayed: string | null
  readonly body: string
}

interface Site {
  readonly events: readonly StoreEvent[]
  readonly ends: readonly EndEvent[]
  /** A request that is cached, and one with an idempotency key. */
  cached(content?: string): Promise<Got>
  keyed(key: string): Promise<Got>
}

function siteOver(store: ReturnType<typeof redisCacheStore>): Site {
  const events: StoreEvent[] = []
  const ends: EndEvent[] = []
  const gateway: Gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'k' }]),
    route: models({ demo: local()('demo') }),
    cache: responseCache({ store, ttlMs: 60_000 }),
    idempotency: idempotency({ store }),
    observe: event => {
      if (event.type === 'store') events.push(event)
      if (event.type === 'end') ends.push(event)
    },
  })
  open.push({ close: () => gateway.close() })
  const ask = async (fields: object, headers: object): Promise<Got> => {
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'demo', ...fields }),
    })
    const body = await response.text()
    return {
      status: response.status,
      code: JSON.parse(body).error?.code,
      cache: response.headers.get('x-sluice-cache'),
      replayed: response.headers.get('idempotency-replayed'),
      body,
    }
  }
  const messages = (content: string) => [{ role: 'user', content }]
  return {
    events,
    ends,
    cached: (content = 'Hello') => ask({ messages: messages(content), temperature: 0 }, {}),
    keyed: key => ask({ messages: messages('Hello') }, { 'idempotency-key': key }),
  }
}

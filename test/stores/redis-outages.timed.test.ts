import {
  apiKeys,
  budget,
  concurrent,
  createGateway,
  type Gateway,
  limits,
  models,
  requests,
  type StoreEvent,
} from '@sluice/core'
import { local } from '@sluice/providers'
import { redisLimitStore } from '@sluice/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, type Got } from '../docs/runner/ask.ts'
import { impatientClients } from './impatient-clients.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, startReplica, until } from './servers/redis-server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

function storeOver(name: keyof typeof impatientClients, server: RedisServer) {
  const impatient = impatientClients[name](server)
  open.push(impatient)
  return redisLimitStore(impatient.client)
}

describeWithRedis('a gateway whose Redis fails', () => {
  describe.each(['ioredis', 'node-redis'] as const)('over %s', name => {
    it('F71 N9 frozen: at most 5 requests wait 50 ms, then none; 5 s after it goes on it counts again', async () => {
      const server = await started()
      const site = siteOver(storeOver(name, server))
      await until(async () => (await site.paid()).status === 200)
      server.freeze()
      const waits: number[] = []
      for (let index = 0; index < 30; index++) {
        const from = performance.now()
        expect((await site.free()).status).toBe(200)
        waits.push(performance.now() - from)
      }
      const slow = waits.filter(ms => ms >= 45)
      expect(slow.length).toBeLessThanOrEqual(5)
      // Less than a command without a limit would wait for; how much less is the machine's.
      expect(Math.max(...slow)).toBeLessThan(2_000)
      expectRefusedForNow(await site.paid())
      expect(site.events.map(({ state }) => state)).toEqual(['failing'])
      server.thaw()
      const from = performance.now()
      await until(async () => (await site.paid()).status === 200)
      expect(performance.now() - from).toBeLessThan(5_000)
      expect(site.events.map(({ state }) => state)).toEqual(['failing', 'working'])
    })

    it('F72 down at boot: requests are counted here, money is not spent; a start is enough', async () => {
      const server = await started()
      await server.kill()
      const site = siteOver(storeOver(name, server))
      for (let index = 0; index < 10; index++) expect((await site.free()).status).toBe(200)
      expectRefusedForNow(await site.paid())
      await server.restart()
      await until(async () => (await site.paid()).status === 200)
      expect(site.events.map(({ state }) => state)).toEqual(['failing', 'working'])
    })

    it('F72 killed and started again: the same, and what was held meanwhile is given back', async () => {
      const server = await started()
      const site = siteOver(storeOver(name, server))
      await until(async () => (await site.paid()).status === 200)
      await server.kill()
      for (let index = 0; index < 10; index++) expect((await site.free()).status).toBe(200)
      expectRefusedForNow(await site.paid())
      await server.restart()
      await until(async () => (await site.paid()).status === 200)
      expect(site.events.map(({ state }) => state)).toEqual(['failing', 'working'])
      // One at a time, one after another: none is left behind.
      for (let index = 0; index < 10; index++) expect((await site.single()).status).toBe(200)
    })

    it('F72 READONLY: the same, until the replica is the master', async () => {
      const master = await started()
      const replica = await startReplica(master)
      open.push({ close: () => replica.stop() })
      const site = siteOver(storeOver(name, replica))
      for (let index = 0; index < 10; index++) expect((await site.free()).status).toBe(200)
      expectRefusedForNow(await site.paid())
      await master.kill()
      await replica.command('REPLICAOF', 'NO', 'ONE')
      await until(async () => (await site.paid()).status === 200)
      expect(site.events.map(({ state }) => state)).toEqual(['failing', 'working'])
    })
  })
})

interface Site {
  readonly events: readonly StoreEvent[]
  /** A request that only its count limits, one that costs money, and one of which one may be under way. */
  free(): Promise<Got>
  paid(): Promise<Got>
  single(): Promise<Got>
}

function siteOver(store: ReturnType<typeof redisLimitStore>): Site {
  const events: StoreEvent[] = []
  const gateway: Gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
    route: models({ free: local()('demo'), paid: local()('demo'), single: local()('demo') }),
    prices: () => 0.001,
    limits: limits(
      [
        requests(10_000).per('minute'),
        budget(100, 'usd').per('day').forModels('paid'),
        concurrent(1).forModels('single'),
      ],
      {
        store,
        observe: event => {
          if (event.type === 'store') events.push(event)
        },
      },
    ),
  })
  const asked = async (model: string) => {
    const got = await ask('http://gateway.test/v1', { model, fetch: request => gateway.fetch(request) })
    expect(got.status).not.toBe(401)
    return got
  }
  return {
    events,
    free: () => asked('free'),
    paid: () => asked('paid'),
    single: () => asked('single'),
  }
}

function expectRefusedForNow(got: Got): void {
  expect({ status: got.status, code: got.code }).toEqual({ status: 503, code: 'limiter_unavailable' })
  expect(Number(got.headers.get('retry-after'))).toBeGreaterThan(0)
}

async function started(): Promise<RedisServer> {
  const server = await RedisServer.start()
  open.push({ close: () => server.stop() })
  return server
}

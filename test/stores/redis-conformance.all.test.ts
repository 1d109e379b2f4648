import { redisLimitStore } from '@sluice/redis'
import { limitStoreConformance } from '@sluice/testing/conformance'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLimitStore } from '../../packages/redis/src/limit-store.ts'
import { type RedisClient, scriptRunner } from '../../packages/redis/src/redis-client.ts'
import { storeKeys } from '../../packages/redis/src/store-keys.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, startCluster } from './servers/redis-server.ts'

describeWithRedis('limit stores on one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  conformsOver('ioredis', async () => {
    const client = new Redis(server.url)
    return { client, close: () => client.disconnect() }
  })

  conformsOver('ioredis with a prefix of its own', async () => {
    const client = new Redis(server.url, { keyPrefix: 'a{b}c:' })
    return { client, close: () => client.disconnect() }
  })

  conformsOver('node-redis', async () => {
    const client = createClient({ url: server.url })
    await client.connect()
    return { client, close: () => client.destroy() }
  })

  it('leaves no key without an expiry', async () => {
    const client = new Redis(server.url)
    const keys = await client.keysBuffer('*')
    const ages = await Promise.all(keys.map(async key => ({ key: String(key), ttl: await client.pttl(key) })))
    client.disconnect()
    expect(keys.length).toBeGreaterThan(50)
    // One that has ended meanwhile is no more: -2.
    expect(ages.filter(({ ttl }) => ttl === -1)).toEqual([])
  })
})

describeWithRedis('limit stores on a cluster', () => {
  let servers: RedisServer[]
  beforeAll(async () => {
    servers = await startCluster()
  })
  afterAll(() => Promise.all(servers.map(server => server.stop())))

  conformsOver('ioredis', async () => {
    const client = new Cluster(servers.map(({ port }) => ({ host: '127.0.0.1', port })))
    return { client, close: () => client.disconnect() }
  })

  conformsOver('node-redis', async () => {
    const client = createCluster({ rootNodes: servers.map(({ url }) => ({ url })) })
    await client.connect()
    return { client, close: () => client.destroy() }
  })
})

interface Connected {
  readonly client: RedisClient
  close(): void
}

function conformsOver(name: string, connect: () => Promise<Connected>): void {
  describe.concurrent(`over ${name}`, () => {
    let connected: Connected
    beforeAll(async () => {
      connected = await connect()
    })
    afterAll(() => connected.close())

    for (const { name, run } of limitStoreConformance) {
      it(name, () =>
        run(({ now }) =>
          now === undefined
            ? redisLimitStore(connected.client)
            : createLimitStore(scriptRunner(connected.client), storeKeys('clocked'), now),
        ),
      )
    }
  })
}

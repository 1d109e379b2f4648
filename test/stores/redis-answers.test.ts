import { redisCacheStore, redisResponseStore } from '@sluice/redis'
import { cacheStoreConformance, responseStoreConformance } from '@sluice/testing/conformance'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RedisClient } from '../../packages/redis/src/redis-client.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, startCluster } from './servers/redis-server.ts'

describeWithRedis('answers on one Redis', () => {
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
    expect(keys.length).toBeGreaterThan(20)
    // One that has ended meanwhile is no more: -2.
    expect(ages.filter(({ ttl }) => ttl === -1)).toEqual([])
  })

  it('leaves what stands under another prefix alone', async () => {
    const client = new Redis(server.url)
    const [one, other] = [
      redisCacheStore(client, { prefix: 'one' }),
      redisCacheStore(client, { prefix: 'other' }),
    ]
    const key = { owner: 'ann', name: 'key' }
    await one.set(key, 'text', { ttlMs: 60_000 })
    expect([await other.get(key), await other.add(key, 'mine', { ttlMs: 60_000 })]).toEqual([
      undefined,
      'added',
    ])
    expect([await one.get(key), await other.get(key)]).toEqual(['text', 'mine'])
    client.disconnect()
  })

  it('rejects where its key is something else, and leaves that', async () => {
    const client = new Redis(server.url)
    const store = redisCacheStore(client, { prefix: 'other-kind' })
    const key = { owner: 'ann', name: 'list' }
    await store.set(key, 'x', { ttlMs: 60_000 })
    const [name] = await client.keys('*other-kind*:text:list')
    await client.del(name!)
    await client.lpush(name!, 'x')
    await client.pexpire(name!, 60_000)
    for (const asking of [
      store.get(key),
      store.add(key, 'text', { ttlMs: 1_000 }),
      store.replace(key, 'x', 'text', { ttlMs: 1_000 }),
    ]) {
      await expect(asking).rejects.toThrow(/WRONGTYPE/)
    }
    expect(await client.llen(name!)).toBe(1)
    client.disconnect()
  })
})

describeWithRedis('answers on a cluster', () => {
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

  it('are on every node', async () => {
    const counts = await Promise.all(servers.map(async server => Number(await server.command('DBSIZE'))))
    expect(counts.every(count => count > 0)).toBe(true)
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

    for (const { name, run } of cacheStoreConformance) {
      it(name, () => run(async settings => redisCacheStore(connected.client, settings)))
    }

    for (const { name, run } of responseStoreConformance) {
      it(`responses: ${name}`, () => run(async settings => redisResponseStore(connected.client, settings)))
    }
  })
}

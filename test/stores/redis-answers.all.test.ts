import { redisCacheStore, redisResponseStore } from '@sluice/redis'
import {
  alertStoreConformance,
  cacheStoreConformance,
  responseStoreConformance,
} from '@sluice/testing/conformance'
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

  it('bounds the bytes of a principal, and needs one round trip for each operation', async () => {
    const client = new Redis(server.url)
    const store = redisResponseStore(client, { prefix: 'bytes', maxBytesPerOwner: 1_000 })
    const put = (owner: string, id: string, text: string) =>
      store.put({ owner, id, itemIds: [`msg_${id}`, `fc_${id}`], text })
    await put('other', 'a', 'x'.repeat(900))
    for (let at = 0; at < 20; at++) await put('ann', `${at}`, 'é'.repeat(100))
    expect(await store.get('ann', '14')).toBeUndefined()
    expect(await store.findItem('ann', 'msg_14')).toBeUndefined()
    expect(await store.get('ann', '15')).toBe('é'.repeat(100))
    expect(await store.get('other', 'a')).toBe('x'.repeat(900))
    await put('ann', 'large', 'x'.repeat(1_001))
    expect(await store.get('ann', 'large')).toBeUndefined()
    expect(await store.get('ann', '19')).toBe('é'.repeat(100))
    await put('ann', '19', 'x'.repeat(1_000))
    expect(await store.get('ann', '18')).toBeUndefined()
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1])
    const before = await calls()
    await put('ann', 'next', 'x')
    await store.get('ann', 'next')
    await store.findItem('ann', 'fc_next')
    expect((await calls()) - before).toBe(3)
    expect(await store.deleteOwner!('ann')).toBe(1)
    expect(await client.keys('*bytes*')).toHaveLength(4)
    client.disconnect()
  })

  it('goes on with responses where the server has evicted keys', async () => {
    const client = new Redis(server.url)
    const store = redisResponseStore(client, {
      prefix: 'lost',
      maxResponsesPerOwner: 3,
      maxBytesPerOwner: 50,
    })
    const put = (id: string) => store.put({ owner: 'ann', id, itemIds: [`msg_${id}`], text: 'x'.repeat(10) })
    for (const lost of ['order', 'items', 'sizes']) {
      await Promise.all(['a', 'b', 'c'].map(put))
      const [name] = await client.keys(`*lost*:${lost}`)
      await client.del(name!)
      for (const id of ['d', 'e', 'f', 'g']) await put(id)
      expect(await store.findItem('ann', 'msg_g')).toBe('x'.repeat(10))
      expect(await store.get('ann', 'd')).toBeUndefined()
    }
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

    for (const { name, run } of alertStoreConformance) {
      it(`alerts: ${name}`, () => run(async () => redisCacheStore(connected.client)))
    }

    for (const { name, run } of responseStoreConformance) {
      it(`responses: ${name}`, () =>
        run(async ({ ttlMs, maxResponses }) =>
          redisResponseStore(connected.client, { ttlMs, maxResponsesPerOwner: maxResponses }),
        ))
    }
  })
}

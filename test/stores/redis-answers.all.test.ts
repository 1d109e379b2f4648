import { redisCacheStore, redisResponseStore } from '@sluice/redis'
import {
  alertStoreConformance,
  cacheStoreConformance,
  responseStoreConformance,
} from '@sluice/testing/conformance'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RedisClient } from '../../packages/redis/src/redis-client.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { countKeys, describeClients, describeClusterClients } from './servers/redis-clients.ts'
import { RedisServer, startCluster } from './servers/redis-server.ts'

describeWithRedis('answers on one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  describeClients(() => server, answersConform)

  it('leaves no key without an expiry', async () => {
    const { all, lasting } = await countKeys(server)
    expect(all).toBeGreaterThan(20)
    expect(lasting).toBe(0)
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

  it('evicts the oldest of many that are stored within a millisecond', async () => {
    const client = new Redis(server.url)
    // Their order is not that of their names.
    const ids = ['e', 'd', 'c', 'b', 'a']
    const responses = redisResponseStore(client, { prefix: 'burst', maxResponsesPerOwner: 3 })
    const cache = redisCacheStore(client, { prefix: 'burst', maxEntriesPerOwner: 3 })
    for (const owner of Array.from({ length: 20 }, (_, at) => `owner-${at}`)) {
      await Promise.all(ids.map(id => responses.put({ owner, id, itemIds: [], text: id })))
      await Promise.all(ids.map(name => cache.set({ owner, name }, name, { ttlMs: 60_000 })))
      const kept = [undefined, undefined, 'c', 'b', 'a']
      expect(await Promise.all(ids.map(id => responses.get(owner, id)))).toEqual(kept)
      expect(await Promise.all(ids.map(name => cache.get({ owner, name })))).toEqual(kept)
    }
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

  describeClusterClients(() => servers, answersConform)

  it('are on every node', async () => {
    const counts = await Promise.all(servers.map(async server => Number(await server.command('DBSIZE'))))
    expect(counts.every(count => count > 0)).toBe(true)
  })
})

function answersConform(client: () => RedisClient): void {
  for (const { name, run } of cacheStoreConformance) {
    it(name, () => run(async settings => redisCacheStore(client(), settings)))
  }

  for (const { name, run } of alertStoreConformance) {
    it(`alerts: ${name}`, () => run(async () => redisCacheStore(client())))
  }

  for (const { name, run } of responseStoreConformance) {
    it(`responses: ${name}`, () =>
      run(async ({ ttlMs, maxResponses }) =>
        redisResponseStore(client(), { ttlMs, maxResponsesPerOwner: maxResponses }),
      ))
  }
}

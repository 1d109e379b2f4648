import { randomBytes } from 'node:crypto'
import type { LimitStore } from '@sluice/core'
import type { Claim, Counter, RateCounter, SumCounter } from '@sluice/core/store'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterEach, describe, expect, it } from 'vitest'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { type RedisOptions, RedisServer, startReplica, until } from './servers/redis-server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

/** Stores over a server, by each client. Neither client queues what it cannot send. */
const clients: Readonly<Record<string, (server: RedisServer) => Promise<LimitStore>>> = {
  async ioredis(server) {
    const client = new Redis(server.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 50,
      lazyConnect: true,
    })
    client.on('error', () => {})
    open.push({ close: () => client.disconnect() })
    await client.connect()
    return redisLimitStore(client)
  },
  async 'node-redis'(server) {
    const client = createClient({
      url: server.url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: 50 },
    })
    client.on('error', () => {})
    open.push({ close: () => client.destroy() })
    await client.connect()
    return redisLimitStore(client)
  },
}

describeWithRedis('F72 what happens to a Redis', () => {
  describe.each(Object.keys(clients))('over %s', name => {
    it('SCRIPT FLUSH is not noticed', async () => {
      const { server, store } = await started(name)
      const taken = await take(store)
      await server.command('SCRIPT', 'FLUSH')
      await store.renew([taken], 60_000)
      await server.command('SCRIPT', 'FLUSH')
      await store.settle({ ...taken, charged: [0, 0] })
      await server.command('SCRIPT', 'FLUSH')
      await take(store)
    })

    it('FLUSHALL forgets, and nothing comes of it', async () => {
      const { server, store } = await started(name)
      const taken = await take(store)
      await server.command('FLUSHALL')
      await take(store)
      await store.renew([taken], 60_000)
      await store.settle({ ...taken, charged: [0, 0] })
      expect((await store.admit(claimOf(one))).allowed).toBe(false)
    })

    it('a death rejects, and a restart is enough; what was written is still known', async () => {
      const { server, store } = await started(name, { appendOnly: true })
      const taken = await take(store)
      await server.kill()
      await expect(store.admit(claimOf(one))).rejects.toThrow()
      await expect(store.settle({ ...taken, charged: [0, 0] })).rejects.toThrow()
      await expect(store.renew([taken], 60_000)).rejects.toThrow()
      await server.restart()
      await until(() => answers(store))
      expect((await store.admit(claimOf(one))).allowed).toBe(false)
      await store.settle({ ...taken, charged: [0, 0] })
      await take(store)
    })

    it('READONLY rejects, and works once the replica is the master; its counts go on', async () => {
      const { server: master, store: first } = await started(name)
      const taken = await take(first)
      const replica = await startReplica(master)
      open.push({ close: () => replica.stop() })
      const store = await clients[name]?.(replica)
      if (store === undefined) throw new Error(`There is no client ${name}.`)
      await expect(store.admit(claimOf(other))).rejects.toThrow(/READONLY/)
      await expect(store.settle({ ...taken, charged: [0, 0] })).rejects.toThrow(/READONLY/)
      await master.kill()
      await replica.command('REPLICAOF', 'NO', 'ONE')
      expect((await store.admit(claimOf(one))).allowed).toBe(false)
      await store.settle({ ...taken, charged: [0, 0] })
      await take(store)
    })

    it('OOM rejects what takes memory, and works when there is room', async () => {
      const { server, store } = await started(name)
      const taken = await take(store)
      await server.command('CONFIG', 'SET', 'maxmemory', '1')
      await expect(store.admit(claimOf(other))).rejects.toThrow(/OOM/)
      // What frees memory goes on.
      await store.settle({ ...taken, charged: [0, 0] })
      await server.command('CONFIG', 'SET', 'maxmemory', '0')
      await take(store)
    })

    it('LOADING rejects, and works when all is loaded', async () => {
      const { server, store } = await started(name, { appendOnly: true })
      await server.command('EVAL', "for i = 1, 200 do redis.call('SET', i, i) end", '0')
      await take(store)
      await server.command('BGREWRITEAOF')
      await until(async () =>
        (await server.command('INFO', 'persistence')).includes('aof_rewrite_in_progress:0'),
      )
      await server.kill()
      // Microseconds for each key, and how often it looks up while it loads.
      await server.restart({ 'key-load-delay': '5000', 'loading-process-events-interval-bytes': '1024' })
      let refused = 0
      await until(async () => {
        try {
          await store.admit(claimOf(other))
          return true
        } catch {
          // One client hears LOADING; the other waits for the end of it, and says that it is not connected.
          refused++
          return false
        }
      })
      expect(refused).toBeGreaterThan(0)
      expect((await store.admit(claimOf(one))).allowed).toBe(false)
    })

    it('a frozen one is waited for by nobody who has a deadline', async () => {
      const { server, store } = await started(name)
      await take(store)
      server.freeze()
      const answer = store.admit(claimOf(other))
      const late = new Promise<'late'>(resolve => setTimeout(resolve, 100, 'late'))
      expect(await Promise.race([answer, late])).toBe('late')
      server.thaw()
      expect((await answer).allowed).toBe(true)
    })
  })

  it('what a client sends twice counts once', async () => {
    const { store } = await started('ioredis')
    const asked = claimOf([{ ...sum, amount: 6 }, slot])
    expect((await store.admit(asked)).allowed).toBe(true)
    const again = await store.admit(asked)
    expect(again.allowed).toBe(true)
    expect(again.counters.map(({ over, remaining }) => ({ over, remaining }))).toEqual([
      { over: false, remaining: 4 },
      { over: false, remaining: 0 },
    ])
    await store.settle({ ...asked, charged: [0, 0] })
    expect((await store.admit(claimOf([{ ...sum, amount: 10 }, slot]))).allowed).toBe(true)
  })

  it('a rate that it has thrown away has no more room than a new one when what is held of it ends', async () => {
    const { server, store } = await started('ioredis')
    const tokens: RateCounter = {
      kind: 'rate',
      key: 'tokens',
      limit: 100,
      windowMs: 86_400_000,
      dryRun: false,
      amount: 90,
      floor: 10,
    }
    expect((await store.admit({ ...claimOf([tokens]), ttlMs: 1 })).allowed).toBe(true)
    await server.command('DEL', '{sluice}:rate:tokens')
    expect((await store.admit(claimOf([{ ...tokens, amount: 5, floor: 0 }]))).allowed).toBe(true)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect((await store.admit(claimOf([{ ...tokens, amount: 95 }]))).allowed).toBe(false)
  })
})

const sum: SumCounter = {
  kind: 'sum',
  key: 'money',
  limit: 10,
  window: 'ever',
  dryRun: false,
  amount: 10,
  floor: 5,
}
const slot: Counter = { kind: 'lease', key: 'slot', limit: 1, dryRun: false }
const one: readonly Counter[] = [slot, sum]
const other: readonly Counter[] = [{ ...slot, key: 'other', limit: 1_000 }]

async function started(
  name: string,
  options?: RedisOptions,
): Promise<{ server: RedisServer; store: LimitStore }> {
  const server = await RedisServer.start(options)
  open.push({ close: () => server.stop() })
  const store = await clients[name]?.(server)
  if (store === undefined) throw new Error(`There is no client ${name}.`)
  return { server, store }
}

function claimOf(counters: readonly Counter[]): Claim {
  return { id: randomBytes(16).toString('hex'), ttlMs: 60_000, counters }
}

/** Takes the one slot and all of the money. */
async function take(store: LimitStore): Promise<Claim> {
  const claim = claimOf(one)
  expect((await store.admit(claim)).allowed).toBe(true)
  return claim
}

async function answers(store: LimitStore): Promise<boolean> {
  try {
    await store.admit(claimOf([]))
    return true
  } catch {
    return false
  }
}

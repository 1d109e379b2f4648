import { randomBytes } from 'node:crypto'
import type { Counter, SumCounter } from '@sluice/core/store'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { excessOfRate, mostAtOnce, roomOfRate } from './grants-oracle.ts'
import { Workers } from './programs/workers.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, until } from './servers/redis-server.ts'

describeWithRedis('processes that share a Redis', () => {
  let server: RedisServer
  let workers: Workers
  let client: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    workers = await Workers.start(server.port, 8)
    client = new Redis(server.url)
  })
  afterAll(async () => {
    client?.disconnect()
    await workers?.stop()
    await server?.stop()
  })

  // Every second process has a clock that is wrong by an hour: F67.
  it.each([1, 2, 4, 8])('F64 50 requests in each of %i processes, with room for 10, are 10', async count => {
    const kinds: Counter[][] = [
      [rate({})],
      [rate({ floor: 0 })],
      [{ kind: 'sum', key: key(), limit: 10, window: 'day', dryRun: false, amount: 1, floor: 0 }],
      [{ kind: 'lease', key: key(), limit: 10, dryRun: false }],
      [rate({}), { kind: 'lease', key: key(), limit: 12, dryRun: false }],
    ]
    for (const counters of kinds) {
      const reports = await workers.run({ does: 'burst', counters, times: 50 }, count)
      expect(reports.flatMap(({ grants }) => grants)).toHaveLength(10)
    }
  })

  it('keys of a team, each with a budget within that of the team, spend in 8 processes what both allow', async () => {
    const team: SumCounter = {
      kind: 'sum',
      key: key(),
      limit: 10,
      window: 'day',
      dryRun: false,
      amount: 1,
      floor: 0,
    }
    const granted: number[] = []
    for (let left = 3; left > 0; left--) {
      const counters = [team, { ...team, key: key(), limit: 4 }]
      const reports = await workers.run({ does: 'burst', counters, times: 50 }, 8)
      granted.push(reports.flatMap(({ grants }) => grants).length)
    }
    // What a key is refused takes nothing from its team, whose third key has what is left.
    expect(granted).toEqual([4, 4, 2])
  })

  it('N5 the traffic of 4 processes exceeds no limit, and leaves little of it', async () => {
    const limit = 400
    const windowMs = 1_000
    const counter = rate({ limit, windowMs })
    const traffic = { decisions: 1_500, atOnce: 10, heldMs: 0, counters: [counter], charged: [1] }
    const reports = await workers.run({ does: 'traffic', traffic }, 4)
    const grants = reports.flatMap(({ grants }) => grants)
    expect(excessOfRate(grants, limit, windowMs)).toBeLessThan(1)
    const room = roomOfRate(
      reports.flatMap(({ told }) => told),
      limit,
      windowMs,
    )
    expect(grants.length).toBeGreaterThanOrEqual(0.99 * room - 1)
  })

  it('N6 what 4 processes take, hold, and are charged adds up', async () => {
    const lease: Counter = { kind: 'lease', key: key(), limit: 7, dryRun: false }
    const money: SumCounter = {
      ...{ kind: 'sum', key: key(), limit: 4_000, window: 'ever', dryRun: false },
      ...{ amount: 10, floor: 10 },
    }
    const traffic = { decisions: 600, atOnce: 5, heldMs: 1, counters: [lease, money], charged: [0, 3] }
    const reports = await workers.run({ does: 'traffic', traffic }, 4)
    const grants = reports.flatMap(({ grants }) => grants)
    expect(mostAtOnce(grants)).toBeLessThanOrEqual(7)
    expect(grants.length).toBeGreaterThan(100)
    const { counters } = await redisLimitStore(client).admit({
      id: id(),
      ttlMs: 1,
      counters: [{ ...money, amount: 0, floor: 0 }],
    })
    expect(counters[0]?.remaining).toBe(4_000 - 3 * grants.length)
  })

  it('F66 what a killed process held is free when its time is over, and a living one keeps it', async () => {
    const store = redisLimitStore(client)
    const counter: Counter = { kind: 'lease', key: key(), limit: 3, dryRun: false }
    const ask = async () => store.admit({ id: id(), ttlMs: 60_000, counters: [counter] })
    const ttlMs = 1_200
    const { grants } = await workers.tell(7, { does: 'hold', counters: [counter], times: 3, ttlMs })
    expect(grants).toHaveLength(3)
    for (const end = performance.now() + 1.5 * ttlMs; performance.now() < end; ) {
      expect((await ask()).allowed).toBe(false)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    const killed = performance.now()
    await workers.kill(7)
    await until(async () => (await ask()).allowed)
    expect(performance.now() - killed).toBeLessThan(ttlMs + 500)
    expect((await ask()).allowed && (await ask()).allowed).toBe(true)
    expect((await ask()).allowed).toBe(false)
  })
})

function key(): string {
  return `test ${id()}`
}

function id(): string {
  return randomBytes(16).toString('hex')
}

function rate(given: { limit?: number; windowMs?: number; floor?: number }): Counter {
  return { kind: 'rate', key: key(), limit: 10, windowMs: 3_600_000, dryRun: false, amount: 1, ...given }
}

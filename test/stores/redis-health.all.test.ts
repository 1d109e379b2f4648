import { type SharedHealth, type StoreEvent, type TargetEvent, UpstreamError } from '@sluice/core'
import { redisHealth } from '@sluice/redis'
import { Cluster, Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../packages/core/src/clock/clock.ts'
import type { HealthCall, HealthRecord } from '../../packages/core/src/contracts/target-health.ts'
import { defaultBreaker, defaultRetry } from '../../packages/core/src/upstream/health/health-options.ts'
import { healthRegistry } from '../../packages/core/src/upstream/health/health-registry.ts'
import { equalKeys, keyedVendor, rejected } from '../../packages/core/test/support/keyed-provider.ts'
import { scripted, serving, whole } from '../../packages/core/test/support/scripted-gateway.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, startCluster, until } from './servers/redis-server.ts'

describeWithRedis('health that is shared over one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  keepsItsContract('ioredis', async () => {
    const client = new Redis(server.url)
    return { health: redisHealth(client, { prefix: 'ioredis' }), close: () => client.disconnect() }
  })
  keepsItsContract('node-redis', async () => {
    const client = createClient({ url: server.url })
    await client.connect()
    return { health: redisHealth(client, { prefix: 'node-redis' }), close: () => client.destroy() }
  })

  it('leaves no key without an expiry', async () => {
    const client = new Redis(server.url)
    const keys = await client.keys('*')
    const ages = await Promise.all(keys.map(key => client.pttl(key)))
    client.disconnect()
    expect(keys.length).toBeGreaterThan(4)
    expect(ages.filter(age => age === -1)).toEqual([])
  })
})

describeWithRedis('health that is shared over a cluster', () => {
  let servers: RedisServer[]
  beforeAll(async () => {
    servers = await startCluster()
  })
  afterAll(() => Promise.all(servers.map(server => server.stop())))

  keepsItsContract('ioredis', async () => {
    const client = new Cluster(servers.map(({ port }) => ({ host: '127.0.0.1', port })))
    return { health: redisHealth(client), close: () => client.disconnect() }
  })
})

describeWithRedis('gateways that share their health', () => {
  it('skip within two seconds what one of them opened, and make one probe together', async () => {
    await using server = await RedisServer.start()
    const processes = [startProcess(server), startProcess(server), startProcess(server)]
    try {
      for (const { ask } of processes) ask().ended(undefined, performance.now())
      const from = performance.now()
      for (let index = 0; index < 5; index++) processes[0]!.ask().ended(failure, performance.now())
      await until(() => processes.every(({ record }) => 'state' in record.begin(performance.now())), 5_000)
      expect(performance.now() - from).toBeLessThan(2_000)
      const probes: HealthCall[] = []
      const tryAll = () => {
        for (const { record } of processes) {
          const call = record.begin(performance.now())
          if (!('state' in call)) probes.push(call)
        }
        return probes.length > 0
      }
      await until(tryAll)
      const probedAt = performance.now()
      await until(() => {
        tryAll()
        return performance.now() - probedAt > 500
      })
      expect(probes).toHaveLength(1)
      probes[0]!.ended(undefined, performance.now())
      await until(() =>
        processes.every(({ record }) => {
          const call = record.begin(performance.now())
          if ('state' in call) return false
          call.ended(undefined, performance.now())
          return true
        }),
      )
      for (const { told } of processes) {
        expect(told.map(({ state }) => state)).toEqual(['open', 'half_open', 'closed'])
      }
    } finally {
      for (const { close } of processes) close()
    }
  })

  it('wait for no Redis that is frozen, and share again when it goes on', async () => {
    await using server = await RedisServer.start()
    const [here, there] = [startProcess(server), startProcess(server)]
    try {
      here.ask().ended(undefined, performance.now())
      await until(async () => (await server.command('DBSIZE')) !== '')
      server.freeze()
      const times: number[] = []
      const from = performance.now()
      while (performance.now() - from < 2_500) {
        const before = performance.now()
        const call = here.record.begin(before)
        if (!('state' in call)) call.ended(failure, performance.now())
        times.push(performance.now() - before)
        await new Promise(resolve => setTimeout(resolve, 5))
      }
      times.sort((a, b) => a - b)
      // No more than a machine that is busy with something else holds back.
      expect(times[Math.floor(times.length * 0.97)]).toBeLessThan(10)
      // It opened and probed by itself.
      expect(here.told.filter(({ state }) => state === 'open').length).toBeGreaterThanOrEqual(2)
      expect(here.stores.map(({ store, state }) => [store, state])).toEqual([['health', 'failing']])
      server.thaw()
      await until(() => {
        const call = here.record.begin(performance.now())
        if (!('state' in call)) call.ended(failure, performance.now())
        return here.stores.length > 1 && 'state' in there.record.begin(performance.now())
      })
      expect(here.stores.map(({ state }) => state)).toEqual(['failing', 'working'])
    } finally {
      server.thaw()
      for (const { close } of [here, there]) close()
    }
  })
})

describeWithRedis('requests to gateways that share their health', () => {
  it('are refused within two seconds where another gateway opened their target, without a call', async () => {
    await using server = await RedisServer.start()
    const clients = [new Redis(server.url), new Redis(server.port)] as const
    try {
      const here = serving(scripted(() => Promise.reject(failure)).target, sharing(clients[0]))
      const working = scripted(() => whole('hi'))
      const there = serving(working.target, sharing(clients[1]))
      expect((await there.post({})).status).toBe(200)
      for (let index = 0; index < 5; index++) await here.post({})
      const from = performance.now()
      await until(async () => (await there.post({})).status === 503)
      expect(performance.now() - from).toBeLessThan(2_000)
      const calls = working.inputs.length
      expect((await there.post({})).headers.get('retry-after')).toMatch(/^(2[2-9]|3[0-6])$/)
      expect(working.inputs.length).toBe(calls)
    } finally {
      for (const client of clients) client.disconnect()
    }
  })

  it('skip a key of a provider that is limited in another gateway, for the same principal alone', async () => {
    await using server = await RedisServer.start()
    const clients = [new Redis(server.url), new Redis(server.port)] as const
    const isLimited = (event: { type: string }) => event.type === 'provider_key'
    try {
      const vendors = clients.map(() => keyedVendor(equalKeys('key 1', 'key 2')))
      const authenticate = (request: Request) => ({ id: request.headers.get('x-id') ?? 'ann' })
      const [here, there] = vendors.map(({ target }, index) =>
        serving(target, { ...sharing(clients[index]!), authenticate }),
      ) as [ReturnType<typeof serving>, ReturnType<typeof serving>]
      const as = (id: string) =>
        there.post({}, { headers: { 'content-type': 'application/json', 'x-id': id } })
      vendors[0]!.set('key 1', rejected(429, 30_000))
      await until(async () => (await here.post({})).status === 200 && here.events.some(isLimited))
      await until(async () => (await as('ann')).status === 200 && there.events.some(isLimited))
      expect(there.events.filter(isLimited)).toMatchObject([{ key: 'key 1', scope: 'principal' }])
      const { used } = vendors[1]!
      used.length = 0
      for (let index = 0; index < 20; index++) await as('ann')
      expect(new Set(used)).toEqual(new Set(['key 2']))
      for (let index = 0; index < 40; index++) await as('bob')
      expect(new Set(used)).toEqual(new Set(['key 1', 'key 2']))
      expect((await clients[0].keys('*')).join()).not.toContain('sk-secret')
    } finally {
      for (const client of clients) client.disconnect()
    }
  })

  it('N9 wait for no Redis that is frozen', async () => {
    await using server = await RedisServer.start()
    const client = new Redis(server.url)
    const { post, events } = serving(scripted(() => whole('hi')).target, sharing(client))
    try {
      await post({})
      server.freeze()
      const times: number[] = []
      for (let index = 0; index < 300; index++) {
        const from = performance.now()
        expect((await post({})).status).toBe(200)
        times.push(performance.now() - from)
        await new Promise(resolve => setTimeout(resolve, 10))
      }
      times.sort((a, b) => a - b)
      // No more than a machine that is busy with something else holds back.
      expect(times[290]).toBeLessThan(45)
      expect(events.filter(({ type }) => type === 'store')).toMatchObject([{ state: 'failing' }])
    } finally {
      server.thaw()
      client.disconnect()
    }
  })
})

const sharing = (client: Redis) => ({ breaker: {}, sharedHealth: redisHealth(client) })

const failure = new UpstreamError('It failed.', { kind: 'refused', status: 500 })

interface Process {
  readonly record: HealthRecord
  readonly told: TargetEvent[]
  readonly stores: StoreEvent[]
  ask(): HealthCall
  close(): void
}

/** The book of one process, with a client of its own. */
function startProcess(server: RedisServer): Process {
  const client = new Redis(server.url, { enableOfflineQueue: true, retryStrategy: () => 100 })
  client.on('error', () => {})
  const told: TargetEvent[] = []
  const stores: StoreEvent[] = []
  const book = healthRegistry({
    breaker: { ...defaultBreaker, openMs: 1_500, maxOpenMs: 1_500 },
    retry: defaultRetry,
    random: Math.random,
    clock: systemClock,
    shared: redisHealth(client),
    changed: event => {
      if (event.type === 'target') told.push(event)
      else if (event.type === 'store') stores.push(event)
    },
  })
  const record = book.of({ provider: { name: 'north' }, model: 'm' })
  return {
    record,
    told,
    stores,
    ask() {
      const call = record.begin(performance.now())
      if ('state' in call) throw new Error(`It is ${call.state}.`)
      return call
    },
    close: () => client.disconnect(),
  }
}

function keepsItsContract(
  name: string,
  connect: () => Promise<{ health: SharedHealth; close(): void }>,
): void {
  describe(`over ${name}`, () => {
    let health: SharedHealth
    let close = () => {}
    beforeAll(async () => {
      const connected = await connect()
      health = connected.health
      close = () => connected.close()
    })
    afterAll(() => close())

    it('knows what was told, and nothing of what was not', async () => {
      const [opened] = await health.write([
        { id: 'a/m', breaker: { openings: 3, openMs: 5_000.4 } },
        { id: 'b/m', cooldownMs: 2_000 },
      ])
      const [a, b, c] = await health.read(['a/m', 'b/m', 'c/m'])
      expect(a).toMatchObject({ generation: opened, openings: 3, cooldownMs: 0 })
      expect(a?.openMs).toBeGreaterThan(4_000)
      expect(a?.openMs).toBeLessThanOrEqual(5_001)
      expect(b).toMatchObject({ generation: 0, openings: 0, openMs: 0 })
      expect(b?.cooldownMs).toBeGreaterThan(1_000)
      expect(c).toBeUndefined()
    })

    it('gives each opening and closing another generation, and pauses none', async () => {
      const told = []
      for (const openings of [1, 2, 0, 1]) {
        told.push(...(await health.write([{ id: 'g/m', breaker: { openings, openMs: 0 } }])))
      }
      expect(new Set(told).size).toBe(4)
      expect(await health.write([{ id: 'g/m', cooldownMs: 50 }])).toEqual(told.slice(-1))
      expect(await health.read(['g/m'])).toMatchObject([{ generation: told.at(-1), openings: 1, openMs: 0 }])
    })

    it('knows whom alone a target is open for, and why', async () => {
      const breaker = {
        openings: 1,
        openMs: 5_000,
        openFor: 'd1',
        partial: true,
        reason: 'unreachable',
      } as const
      await health.write([{ id: 'f/m', breaker }])
      expect(await health.read(['f/m'])).toMatchObject([
        { openings: 1, openFor: 'd1', partial: true, reason: 'unreachable' },
      ])
      await health.write([{ id: 'f/m', breaker: { openings: 2, openMs: 5_000, reason: 'overloaded' } }])
      const [state] = await health.read(['f/m'])
      expect(state).toMatchObject({ openings: 2, reason: 'overloaded' })
      expect([state?.openFor, state?.partial]).toEqual([undefined, undefined])
    })

    it('keeps the pause of one principal for that one, and the shorter one of two for all', async () => {
      const pause = (principal: string, ms: number) => health.write([{ id: 'q/m', pause: { principal, ms } }])
      await pause('d1', 9_000)
      await pause('d1', 2_000)
      const [one] = await health.read(['q/m'])
      expect(one).toMatchObject({ generation: 0, openings: 0, cooldownMs: 0, pause: { principal: 'd1' } })
      expect(one?.pause?.ms).toBeGreaterThan(8_000)
      await pause('d2', 3_000)
      const [two] = await health.read(['q/m'])
      expect(two?.pause?.principal).toBe('d1')
      expect(two?.cooldownMs).toBeGreaterThan(2_000)
      expect(two?.cooldownMs).toBeLessThanOrEqual(3_000)
      await pause('d3', 20_000)
      const [three] = await health.read(['q/m'])
      expect(three?.pause?.principal).toBe('d3')
      expect(three?.cooldownMs).toBeGreaterThan(7_000)
      expect(three?.cooldownMs).toBeLessThanOrEqual(9_000)
    })

    it('keeps the longest pause', async () => {
      for (const cooldownMs of [9_000, 1_000]) await health.write([{ id: 'p/m', cooldownMs }])
      const [state] = await health.read(['p/m'])
      expect(state?.cooldownMs).toBeGreaterThan(8_000)
    })

    it('lets one of many probe, until it lets go or a change is told', async () => {
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, index) => health.acquireProbe('x/m', `t${index}`, 60_000)),
      )
      const holder = `t${claims.indexOf(true)}`
      expect(claims.filter(Boolean)).toHaveLength(1)
      expect(await health.acquireProbe('x/m', holder, 60_000)).toBe(true)
      await health.releaseProbe('x/m', 'other')
      expect(await health.acquireProbe('x/m', 'other', 60_000)).toBe(false)
      await health.releaseProbe('x/m', holder)
      expect(await health.acquireProbe('x/m', 'other', 60_000)).toBe(true)
      await health.write([{ id: 'x/m', breaker: { openings: 0, openMs: 0 } }])
      expect(await health.acquireProbe('x/m', holder, 50)).toBe(true)
      await until(() => health.acquireProbe('x/m', 'other', 50))
    })
  })
}

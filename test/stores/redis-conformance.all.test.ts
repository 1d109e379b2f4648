import { redisLimitStore } from '@sluice/redis'
import { limitStoreConformance } from '@sluice/testing/conformance'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLimitStore } from '../../packages/redis/src/limit-store.ts'
import { type RedisClient, scriptRunner } from '../../packages/redis/src/redis-client.ts'
import { storeKeys } from '../../packages/redis/src/store-keys.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { countKeys, describeClients, describeClusterClients } from './servers/redis-clients.ts'
import { RedisServer, startCluster } from './servers/redis-server.ts'

describeWithRedis('limit stores on one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  describeClients(() => server, limitsConform)

  it('leaves no key without an expiry', async () => {
    const { all, lasting } = await countKeys(server)
    expect(all).toBeGreaterThan(50)
    expect(lasting).toBe(0)
  })
})

describeWithRedis('limit stores on a cluster', () => {
  let servers: RedisServer[]
  beforeAll(async () => {
    servers = await startCluster()
  })
  afterAll(() => Promise.all(servers.map(server => server.stop())))

  describeClusterClients(() => servers, limitsConform)
})

function limitsConform(client: () => RedisClient): void {
  for (const { name, run } of limitStoreConformance) {
    it(name, () =>
      run(({ now }) =>
        now === undefined
          ? redisLimitStore(client())
          : createLimitStore(scriptRunner(client()), storeKeys('clocked'), now),
      ),
    )
  }
}

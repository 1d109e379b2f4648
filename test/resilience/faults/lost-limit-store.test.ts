import { expect, it, onTestFinished } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { type RedisServer, startReplica, until } from '../../stores/servers/redis-server.ts'
import { redisDuring, storeIn } from './harness/redis-stores.ts'
import { overServers } from './harness/servers.ts'
import { expectNoLimiter, type SharingService, sharingService } from './harness/shared-limits.ts'

const serviceOn = async (mount: Mount, redis: RedisServer) => sharingService(mount, await storeIn(redis))

async function expectAway({ free, paid }: SharingService): Promise<void> {
  for (let asked = 0; asked < 8; asked++) expect((await free()).status).toBe(200)
  for (let asked = 0; asked < 3; asked++) expectNoLimiter(await paid())
}

async function expectBack({ free, paid, single, states }: SharingService): Promise<void> {
  await until(async () => (await paid()).status === 200)
  for (const ask of [free, paid, single, single]) expect((await ask()).status).toBe(200)
  expect(states).toEqual(['failing', 'working'])
}

describeWithRedis('F72 the Redis of the limits is down, loses what it knew, or may not write', () => {
  overServers(mount => {
    it('down at the start: a start of it is enough', async () => {
      const redis = await redisDuring()
      await redis.kill()
      const service = await serviceOn(mount, redis)
      await expectAway(service)
      await redis.restart()
      await expectBack(service)
    })

    it('killed and started again, empty', async () => {
      const redis = await redisDuring()
      const service = await serviceOn(mount, redis)
      await until(async () => (await service.paid()).status === 200)
      await redis.kill()
      await expectAway(service)
      await redis.restart()
      await expectBack(service)
    })

    it('FLUSHALL and SCRIPT FLUSH: nobody notices', async () => {
      const redis = await redisDuring()
      const { free, paid, single, states } = await serviceOn(mount, redis)
      await until(async () => (await paid()).status === 200)
      const before = states.length
      for (const words of [['FLUSHALL'], ['SCRIPT', 'FLUSH'], ['FLUSHALL'], ['SCRIPT', 'FLUSH']]) {
        const asked = [free(), paid(), single()]
        await redis.command(...words)
        for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200)
        for (const ask of [free, paid, single]) expect((await ask()).status).toBe(200)
      }
      expect(states.length).toBe(before)
    })

    it('READONLY: until the replica is the master', async () => {
      const master = await redisDuring()
      const replica = await startReplica(master)
      onTestFinished(() => replica.stop())
      const service = await serviceOn(mount, replica)
      await expectAway(service)
      await master.kill()
      await replica.command('REPLICAOF', 'NO', 'ONE')
      await expectBack(service)
    })
  })
})

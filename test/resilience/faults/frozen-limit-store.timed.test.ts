import { expect, it } from 'vitest'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { until } from '../../stores/servers/redis-server.ts'
import { redisDuring, storeIn } from './harness/redis-stores.ts'
import { overServers } from './harness/servers.ts'
import { expectNoLimiter, sharingService } from './harness/shared-limits.ts'

describeWithRedis('F71 the Redis of the limits is frozen: it is there and says nothing', () => {
  overServers(mount => {
    it('five requests wait 50 ms for it and then none; money is not spent; it is used again when it answers', async () => {
      const redis = await redisDuring()
      const { free, paid, single, states } = await sharingService(mount, await storeIn(redis))
      await until(async () => (await paid()).status === 200)
      expect(states).toEqual([])
      redis.freeze()
      const waits: number[] = []
      for (let asked = 0; asked < 40; asked++) {
        const from = performance.now()
        expect((await (asked % 2 === 0 ? free() : single())).status).toBe(200)
        waits.push(performance.now() - from)
      }
      const slow = waits.filter(ms => ms >= 45)
      expect(slow.length).toBeGreaterThan(0)
      // The machine may be slow too, here and there.
      expect(slow.length).toBeLessThanOrEqual(8)
      expect(waits.slice(0, 5).every(ms => ms < 500)).toBe(true)
      expect(waits.slice(5).toSorted((a, b) => a - b)[17]).toBeLessThan(45)
      for (let asked = 0; asked < 5; asked++) expectNoLimiter(await paid())
      expect(states).toEqual(['failing'])
      redis.thaw()
      const from = performance.now()
      await until(async () => (await paid()).status === 200)
      expect(performance.now() - from).toBeLessThan(5_000)
      // Nothing that was taken meanwhile, here or there, is left behind.
      for (let asked = 0; asked < 5; asked++) expect((await single()).status).toBe(200)
      expect(states).toEqual(['failing', 'working'])
    })
  })
})

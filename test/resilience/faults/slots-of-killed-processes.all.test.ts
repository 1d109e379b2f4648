import { concurrent, limits } from '@sluice/core'
import { chunks, sse, steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { until } from '../../stores/servers/redis-server.ts'
import { type ChildOptions, startChild } from './harness/child-service.ts'
import { asking } from './harness/crowd.ts'
import { redisDuring, storeIn } from './harness/redis-stores.ts'
import { everyServer, mountOf } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const leaseMs = 800
const rules = [concurrent(1)]
const begun = sse(chunks({ text: 'one two three' })).slice(0, 4)
const fields = { model: 'm', stream: true }

/** Two processes, one place for a request between them, and a stream in the first one that does not end. */
async function holding(mount: 'node http' | 'express 5') {
  const redis = await redisDuring()
  const upstream = await upstreamDuring([steps.stream(begun), steps.hang()])
  const options: ChildOptions = {
    mount,
    routes: { m: [upstream.baseURL] },
    limits: { rules, redisPort: redis.port, leaseMs },
  }
  const holder = await startChild(options)
  const other = await startService(mountOf(mount), {
    models: { m: upstream },
    limits: limits(rules, { store: await storeIn(redis), leaseMs, storeTimeoutMs: 5_000 }),
  })
  const live = await asking(holder.site, fields)
  await live.waitFor('two')
  const refused = async () => (await other.site.chat(fields)).status === 429
  return { holder, other, refused, upstream }
}

describeWithRedis(
  'F66 the place of a request, after its process was killed or while it takes longer than its lease',
  () => {
    it.each(everyServer)('%s', async mount => {
      const { holder, other, refused, upstream } = await holding(mount)
      // Three times as long as it is held without being renewed.
      const long = performance.now() + 3 * leaseMs
      while (performance.now() < long) {
        expect(await refused()).toBe(true)
        await new Promise(resolve => setTimeout(resolve, 50))
      }
      const killed = performance.now()
      holder.process.kill('SIGKILL')
      await holder.ended
      upstream.respondWith([steps.stream(sse(chunks()))])
      await until(async () => !(await refused()))
      expect(performance.now() - killed).toBeLessThan(leaseMs + 500)
      // And it is given again and again, to one at a time: what was killed has no more to say.
      for (let index = 0; index < 3; index++) await until(async () => !(await refused()))
      upstream.respondWith([steps.stream(begun), steps.hang()])
      const next = await asking(other.site, fields)
      await next.waitFor('two')
      expect(await refused()).toBe(true)
      next.reset()
      await until(async () => other.ends.at(-1)?.outcome === 'client_disconnected')
      upstream.respondWith([steps.stream(sse(chunks()))])
      await until(async () => !(await refused()))
    })
  },
)

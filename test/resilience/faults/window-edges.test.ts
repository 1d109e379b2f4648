import { setTimeout as sleep } from 'node:timers/promises'
import { limits, requests } from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { describe, expect, it } from 'vitest'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { redisDuring, storeIn } from './harness/redis-stores.ts'
import { overServers } from './harness/servers.ts'
import { type Service, startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** How many of so many requests at once are let in. */
async function letIn({ site }: Service, count: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => site.chat({ model: 'm' })))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter(status => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter(status => status === 200).length
}

describe('F68 bursts shortly before and after the full minute', () => {
  overServers(mount => {
    it('are one burst: sixty at once, and then one a second', async () => {
      const minute = 1_800_000_000_000
      const clock = { now: minute - 100 }
      const store = memoryLimitStore({ now: () => clock.now })
      const service = await startService(mount, {
        models: { m: await upstreamDuring() },
        limits: limits([requests(60).per('minute')], { store }),
      })
      const admitted = [await letIn(service, 70)]
      for (const now of [minute, minute + 100, minute + 899, minute + 900, minute + 2_900, minute + 59_900]) {
        clock.now = now
        admitted.push(await letIn(service, 70))
      }
      expect(admitted).toEqual([60, 0, 0, 0, 1, 2, 57])
    })
  })
})

describeWithRedis('F68 bursts shortly before and after a full second of a Redis', () => {
  overServers(mount => {
    it('are one burst', async () => {
      const limit = 30
      const redis = await redisDuring()
      const service = await startService(mount, {
        models: { m: await upstreamDuring() },
        limits: limits([requests(limit).per('second')], {
          store: await storeIn(redis),
          storeTimeoutMs: 10_000,
        }),
      })
      const [, us] = (await redis.command('TIME')).split('\n')
      await sleep((1_940_000 - Number(us)) / 1_000)
      const from = performance.now()
      const first = await letIn(service, 40)
      await sleep(80)
      const second = await letIn(service, 40)
      const elapsed = (performance.now() - from) / 1_000
      expect(first).toBeGreaterThanOrEqual(limit)
      expect(first + second).toBeLessThanOrEqual(limit + elapsed * limit + 1)
    })
  })
})

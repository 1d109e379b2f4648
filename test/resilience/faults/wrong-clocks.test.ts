import { budget, concurrent, type LimitStore, limits, priceTable, requests } from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { chunks, completion, sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { asking } from './harness/crowd.ts'
import { redisDuring, storeIn } from './harness/redis-stores.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const hour = 3_600_000
const skews = [0, hour, -hour, hour, 0, -hour]
const leaseMs = 400

/** The time of day is what the test says it is; it goes on from there. */
function wrongClock() {
  const noon = Date.UTC(2026, 5, 15, 12, 30)
  const from = performance.now()
  const clock = { skew: 0 }
  const spy = vi
    .spyOn(Date, 'now')
    .mockImplementation(() => Math.floor(noon + clock.skew + performance.now() - from))
  onTestFinished(() => spy.mockRestore())
  return clock
}

async function limited(mount: Mount, store: LimitStore) {
  const held = [steps.stream(sse(chunks({ text: 'one two three' })).slice(0, 4)), steps.hang()]
  const upstream = await upstreamDuring(({ json }) =>
    json?.user === 'stays' ? held : steps.reply(completion()),
  )
  const rules = [
    requests(skews.length).per('hour').forModels('counted'),
    budget(skews.length, 'usd').per('month').forModels('paid'),
    budget(1, 'usd').per('hour').forModels('hourly'),
    concurrent(1).forModels('held'),
  ]
  const perRequest = { input: 0, output: 0, perRequest: 1 }
  return startService(mount, {
    models: { counted: upstream, paid: upstream, hourly: upstream, held: upstream },
    prices: priceTable({ paid: perRequest, hourly: perRequest }),
    timeouts: { idleMs: 20_000 },
    limits: limits(rules, { store, leaseMs, storeTimeoutMs: 10_000 }),
  })
}

async function tryEachClock({ site }: Awaited<ReturnType<typeof limited>>, clock: { skew: number }) {
  const ask = async (model: string) => (await site.chat({ model })).status
  const live = await asking(site, { model: 'held', user: 'stays', stream: true })
  await live.waitFor('two')
  const seen = []
  for (const status of [200, 429]) {
    for (const skew of skews) {
      clock.skew = skew
      seen.push([status, await ask('counted'), await ask('paid'), await ask('held')])
    }
  }
  expect(seen).toEqual(seen.map(([status]) => [status, status, status, 429]))
  live.reset()
  await expect.poll(() => ask('held')).toBe(200)
}

describe('F67 the clock of the process is wrong by an hour, and is set forth and back', () => {
  overServers(mount => {
    it('which neither lets anybody in nor keeps anybody out', async () => {
      const clock = wrongClock()
      await tryEachClock(await limited(mount, memoryLimitStore()), clock)
    })

    it('which opens no hour again that was spent', async () => {
      const clock = wrongClock()
      const { site } = await limited(mount, memoryLimitStore())
      const ask = async () => (await site.chat({ model: 'hourly' })).status
      expect([await ask(), await ask()]).toEqual([200, 429])
      clock.skew = -hour
      expect(await ask()).toBe(429)
      clock.skew = 0
      expect(await ask()).toBe(429)
      clock.skew = hour
      expect([await ask(), await ask()]).toEqual([200, 429])
    })
  })
})

describeWithRedis(
  'F67 the clock of the process is wrong by an hour, and is set forth and back, with counts in a Redis',
  () => {
    overServers(mount => {
      it('which changes nothing: the clock of the server counts', async () => {
        const store = await storeIn(await redisDuring())
        const clock = wrongClock()
        await tryEachClock(await limited(mount, store), clock)
      })
    })
  },
)

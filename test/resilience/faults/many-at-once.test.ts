import {
  budget,
  concurrent,
  type LimitRuleData,
  type LimitStore,
  limits,
  priceTable,
  requests,
  tokens,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { describe, expect, it } from 'vitest'
import { base } from '../../e2e/conformance/site.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { redisDuring, storeIn } from './harness/redis-stores.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { waitingVendor } from './harness/waiting-vendor.ts'

const fields = { model: 'm', max_tokens: 100 }
/** What one of them reserves: a third of its bytes, and its bound. */
const reserved = Math.ceil(JSON.stringify({ ...base, ...fields }).length / 3) + 100
/** US dollars, of a token of either kind. */
const price = 1e-6

const rules: readonly (readonly [string, LimitRuleData])[] = [
  ['requests', requests(10).per('day')],
  ['tokens', tokens(10 * reserved + 50).per('day')],
  ['requests at once', concurrent(10)],
  ['money', budget(10.5 * reserved * price, 'usd').per('ever')],
]
const all = rules.map(([, rule]) => rule)

/** Services, one for each store, that are asked by `count` callers at the same time. */
async function crowded(mount: Mount, stores: readonly LimitStore[], asked: readonly LimitRuleData[]) {
  const { upstream, open } = await waitingVendor()
  const services = await Promise.all(
    stores.map(store =>
      startService(mount, {
        models: { m: upstream },
        prices: priceTable({ m: { input: 1, output: 1 } }),
        // A machine that has much to do is no outage.
        limits: limits(asked, { store, storeTimeoutMs: 10_000 }),
      }),
    ),
  )
  let refused = 0
  const each = 50 / services.length
  const answers = services.flatMap(({ site }) =>
    Array.from({ length: each }, async () => {
      const { status } = await site.chat(fields)
      if (status === 429) refused++
      return status
    }),
  )
  await upstream.waitForRequest(10)
  await expect.poll(() => refused).toBe(40)
  expect(upstream.requests).toHaveLength(10)
  open()
  const statuses = await Promise.all(answers)
  expect(statuses.filter(status => status === 200)).toHaveLength(10)
  expect(upstream.requests).toHaveLength(10)
}

describe('F64 fifty requests at once, with room for ten', () => {
  overServers(mount => {
    it.each(rules)('are ten: %s', async (_, rule) => {
      const store = memoryLimitStore()
      await crowded(mount, [store], [rule])
      expect(store.held).toBe(0)
    })
  })
})

describeWithRedis('F64 fifty requests at two services that share a Redis', () => {
  overServers(mount => {
    it('are ten, by each limit and by all of them together', async () => {
      const server = await redisDuring()
      for (const [index, asked] of [...all.map(rule => [rule]), all].entries()) {
        const stores = await Promise.all([0, 1].map(() => storeIn(server, `round-${index}`)))
        await crowded(mount, stores, asked)
      }
    })
  })
})

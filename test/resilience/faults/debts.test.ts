import { budget, type LimitRuleData, limits, priceTable, tokens } from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { type Script, steps, usage } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const second = 1_000
const hour = 3_600_000
const fields = { model: 'm', max_tokens: 100 }

/** A service of one rule with a clock that the test moves; it begins at the start of a minute, and of an hour. */
async function limited(mount: Mount, rule: LimitRuleData, script: Script) {
  const start = Date.UTC(2026, 5, 15, 12)
  const clock = { now: start }
  const upstream = await upstreamDuring(script, steps.answer({ usage: usage(5, 5) }))
  const store = memoryLimitStore({ now: () => clock.now })
  const service = await startService(mount, {
    models: { m: upstream },
    prices: priceTable({ m: { input: 1_000, output: 1_000 } }),
    limits: limits([rule], { store }),
  })
  const at = async (ms: number) => {
    clock.now = start + ms
    return service.site.chat(fields)
  }
  return { ...service, at, upstream, store }
}

/** The vendor counts reasoning that nobody asked for, beyond any bound. */
const hidden = steps.answer({ usage: usage(10, 1_490, 0, 1_450) })

describe('F70 a model uses more than was reserved', () => {
  overServers(mount => {
    it('is a debt of tokens that is paid with time, once', async () => {
      const { at, store, end } = await limited(mount, tokens(1_000).per('minute'), hidden)
      expect((await at(0)).status).toBe(200)
      expect((await end()).usage).toMatchObject({ total_tokens: 1_500 })
      expect(store.held).toBe(0)
      // 1,500 of 1,000 a minute: half a minute later there is room for the first of them, and not for one of 130.
      for (const ms of [0, 15 * second, 29 * second]) {
        const refused = await at(ms)
        expectRefusal(refused, 429, { type: 'tokens', code: 'rate_limit_exceeded' })
        expect(refused.headers['x-ratelimit-remaining-tokens']).toBe('0')
      }
      expect((await at(40 * second)).status).toBe(200)
      const later = await at(100 * second)
      expect([later.status, Number(later.headers['x-ratelimit-remaining-tokens']) > 800]).toEqual([200, true])
    })

    it('is a debt of money that the next hour takes over, and the one after it does not', async () => {
      // 1.50 dollars of 1 dollar; a request reserves 13 cents at least, and costs 1.
      const { at, store, end, upstream } = await limited(mount, budget(1, 'usd').per('hour'), hidden)
      expect((await at(0)).status).toBe(200)
      expect((await end()).cost).toBeCloseTo(1.5, 9)
      expect(store.held).toBe(0)
      expectRefusal(await at(1), 429, { type: 'insufficient_quota', code: 'insufficient_quota' })
      expectRefusal(await at(hour - 1), 429, { type: 'insufficient_quota', code: 'insufficient_quota' })
      let admitted = 0
      upstream.respondWith(steps.answer({ usage: usage(100, 0) }))
      while ((await at(hour)).status === 200) admitted++
      // Half a dollar is left, of which each takes ten cents, as long as there is room for what it reserves.
      expect(admitted).toBe(4)
      admitted = 0
      while ((await at(2 * hour)).status === 200) admitted++
      expect(admitted).toBe(9)
    })
  })
})

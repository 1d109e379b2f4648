import {
  apiKeys,
  budget,
  type EndEvent,
  type GatewayEvent,
  limits,
  models,
  type PriceTable,
  priceTable,
  type Target,
} from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { scriptedLedger } from '../../../packages/core/test/support/scripted-ledger.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { heldStreams } from './harness/held-streams.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const price = { input: 1, output: 2 }
/** Of 9 and 12 tokens. */
const cost = 33e-6

/** Ann has a budget, and Bob has none; of two models one has a price. */
async function priced(mount: Mount) {
  const upstream = await upstreamDuring()
  const prices = priceTable({ known: price })
  const ledger = scriptedLedger()
  const service = await startService(mount, {
    models: { known: upstream, unknown: upstream },
    authenticate: apiKeys([
      { id: 'ann', key: 'key-of-ann', limits: [budget(1, 'usd').per('day')] },
      { id: 'bob', key: 'key-of-bob' },
    ]),
    prices,
    ledger,
    limits: limits([]),
  })
  const ask = (name: string, model: string) => service.site.chat({ model }, { key: `key-of-${name}` })
  return { ...service, upstream, prices, ledger, ask }
}

/** What may stand in a file of prices that is read again while the service runs. */
const bad: readonly (readonly [string, unknown])[] = [
  ['a price below 0', { known: { ...price, input: -1 }, unknown: price }],
  ['a price that is no number', { known: { ...price, output: Number.NaN } }],
  ['a price as text', { known: { input: '1', output: '2' } }],
  ['half a price', { known: { input: 1 } }],
  ['a field that nobody knows', { known: { ...price, inputt: 3 } }],
  ['nothing', {}],
  ['null', null],
  ['a list', [price]],
  ['the text of a file', '{"known":{"input":1,'],
]

describe('F69 a model has no price, or the table of prices that comes is none', () => {
  overServers(mount => {
    it('whoever has a budget is refused, without a call; for anybody else it costs nobody knows what', async () => {
      const { ask, end, upstream, ledger } = await priced(mount)
      expectRefusal(await ask('ann', 'unknown'), 403, { code: 'model_not_priced' })
      expect([upstream.requests.length, ledger.heard.length]).toEqual([0, 0])
      expect((await ask('bob', 'unknown')).status).toBe(200)
      expect(await end(2)).toMatchObject({ outcome: 'completed', cost: null, usage: { total_tokens: 21 } })
      expect(ledger.closings).toMatchObject([{ charge: { promptTokens: 9, cost: null } }])
      expect((await ask('ann', 'known')).status).toBe(200)
      expect((await end(3)).cost).toBeCloseTo(cost, 12)
    })

    it('options with prices that are none are refused whole, and those that are in use stay', async () => {
      const { ask, end, gateway } = await priced(mount)
      const nobody = { authenticate: () => undefined, route: () => [] }
      for (const [name, table] of bad) {
        expect(() => gateway.reload({ ...nobody, prices: table as never }), name).toThrow(/prices: got /)
      }
      expect((await ask('ann', 'known')).status).toBe(200)
      expect((await end(1)).cost).toBeCloseTo(cost, 12)
    })

    it('a reload that leaves a price out refuses who has a budget, and what runs is charged by the old one', async () => {
      const { ask, gateway, upstream, site } = await priced(mount)
      const held = await heldStreams()
      const options = (known: string, target: Target) => ({
        authenticate: apiKeys([{ id: 'ann', key: 'key-of-ann', limits: [budget(1, 'usd').per('day')] }]),
        route: models({ known: target }),
        prices: priceTable({ [known]: price }),
        limits: limits([]),
      })
      const ends: EndEvent[] = []
      const observe = (event: GatewayEvent) => void (event.type === 'end' && ends.push(event))
      gateway.reload({ ...options('known', targetAt(held)), observe })
      const running = site.chat({ model: 'known', stream: true }, { key: 'key-of-ann' })
      await expect.poll(() => held.asked).toBe(1)
      gateway.reload(options('other', targetAt(upstream)))
      expectRefusal(await ask('ann', 'known'), 403, { code: 'model_not_priced' })
      expect(upstream.requests).toHaveLength(0)
      held.letGo()
      expect((await running).body).toContain('[DONE]')
      await expect.poll(() => ends).toMatchObject([{ outcome: 'completed', model: 'known' }])
      expect(ends[0]?.cost).toBeGreaterThan(0)
    })

    it('the last good table stays, and the next good one counts', async () => {
      const { ask, end, prices } = await priced(mount)
      let asked = 0
      for (const [name, table] of bad) {
        expect(() => prices.replace(table as PriceTable), name).toThrow(TypeError)
        expect((await ask('ann', 'known')).status, name).toBe(200)
        expect((await end(++asked)).cost, name).toBeCloseTo(cost, 12)
        expectRefusal(await ask('ann', 'unknown'), 403, { code: 'model_not_priced' })
        await end(++asked)
      }
      prices.replace({ unknown: { input: 10, output: 20 } })
      expect((await ask('ann', 'unknown')).status).toBe(200)
      expect((await end(++asked)).cost).toBeCloseTo(10 * cost, 12)
      expectRefusal(await ask('ann', 'known'), 403, { code: 'model_not_priced' })
    })
  })
})

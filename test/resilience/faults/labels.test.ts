import type { EndEvent } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { targets } from './harness/protocol-targets.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const strangers = 100

/** What of a record a metric would be labelled with. */
const labelsOf = ({ outcome, status, stream, model, principal, attempts }: EndEvent) =>
  JSON.stringify([outcome, status, stream, model, principal?.id, attempts.map(it => [it.provider, it.model])])

describe('F95 names of strangers as labels of metrics', () => {
  overServers(mount => {
    it('100 unknown models, keys and sets of headers make one label each, not 100', async () => {
      const upstream = await upstreamDuring()
      const { site, ends, end } = await startService(mount, { models: { known: upstream } })
      await site.chat({ model: 'known' })
      for (let n = 0; n < strangers; n++) {
        await site.chat({ model: `unknown-${n}${'x'.repeat(n * 100)}` })
        await site.chat({ model: 'known' }, { key: `wrong-${n}` })
        await site.chat({ model: 'known' }, { headers: { [`x-${n}`]: `${n}`, 'user-agent': `agent-${n}` } })
        await site.chat({ model: 'known', user: `user-${n}`, metadata: { [`k${n}`]: `${n}` } })
        await site.chat({ model: 'known', [`field_${n}`]: n, temperature: 3 })
      }
      await end(1 + 5 * strangers)
      expect([...new Set(ends.map(labelsOf))].sort()).toEqual([
        '["completed",200,false,"known","ann",[["vendor","its-model"]]]',
        '["refused",400,false,"known","ann",[]]',
        '["refused",401,false,null,null,[]]',
        '["refused",404,false,null,"ann",[]]',
      ])
    })

    it("a model that is known, and not the caller's to use, keeps its name", async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, {
        models: { known: upstream },
        authorize: () => false,
      })
      await site.chat({ model: 'known' })
      expect(await end()).toMatchObject({ outcome: 'refused', status: 403, model: 'known' })
    })

    it('an unknown name is told by the error alone, cut short', async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { known: upstream } })
      await site.chat({ model: `gpt-${'9'.repeat(1_000_000)}` })
      const { model, error } = await end()
      expect(model).toBeUndefined()
      expect((error as Error).message).toMatch(/^The model `gpt-9{96}\.\.\.` does not exist/)
    })

    it('names of parameters in the record are bounded in number and length', async () => {
      const { at, answer } = targets.gemini
      const upstream = await upstreamDuring(answer)
      const { site, end } = await startService(mount, { models: { known: at(upstream.url) } })
      const fields = Object.fromEntries(
        Array.from({ length: 5_000 }, (_, n) => [`field_${n}_${'x'.repeat(1_000)}`, n]),
      )
      const { status, headers } = await site.chat({ model: 'known', ...fields })
      expect(status).toBe(200)
      expect(headers['x-sluice-adjustments']?.length).toBeLessThan(2_500)
      const { adjustments } = await end()
      expect(adjustments).toHaveLength(1_001)
      for (const { parameter } of adjustments) expect(parameter.length).toBeLessThanOrEqual(203)
    })
  })
})

import type { Gateway } from '@sluice/core'
import { expect } from 'vitest'
import { describePage } from './runner/describe-page.ts'

describePage('docs/costs.md', {
  cost: async ({ run }) => {
    const { gateway } = (await run()).exports as { gateway: Gateway }
    const ask = async (key: string) => {
      const answer = await gateway.fetch(
        new Request('http://sluice.test/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }] }),
        }),
      )
      return { header: answer.headers.get('x-sluice-cost'), usage: (await answer.json()).usage }
    }
    const { header, usage } = await ask('sk-ann')
    expect(usage.cost).toBeCloseTo((usage.prompt_tokens * 0.15 + usage.completion_tokens * 0.6) / 1e6, 12)
    expect(header).toBe(String(usage.cost))
    const other = await ask('sk-bob')
    expect([other.header, other.usage.cost]).toEqual([null, undefined])
    await gateway.close()
  },
})

import { expect } from 'vitest'
import { describePage } from './runner/describe-page.ts'

describePage('docs/inbound.md', {
  protocols: async ({ run }) => {
    const { printed } = await run()
    expect(printed.map(line => line.split(' ').slice(0, 2))).toEqual([
      ['chat/completions', '200'],
      ['messages', '200'],
      ['responses', '200'],
    ])
    for (const line of printed) expect(line).toContain('12 * 7 = 84')
  },
})

import type { Gateway } from '@sluice/core'
import { expect } from 'vitest'
import { describePage, type Snippet } from './runner/describe-page.ts'

async function continued({ run }: Snippet): Promise<readonly unknown[]> {
  const { fetch } = (await run({ SLUICE_DB: ':memory:' })).exports.gateway as Gateway
  const ask = async (body: object) => {
    const response = await fetch(
      new Request('http://sluice.test/v1/responses', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', input: 'Say hello.', ...body }),
      }),
    )
    return [response.status, await response.json()] as const
  }
  const [, first] = await ask({})
  const [status] = await ask({ previous_response_id: first.id })
  return [first.store, status]
}

describePage('docs/stored-responses.md', {
  off: async snippet => expect(await continued(snippet)).toEqual([false, 400]),
  principal: async snippet => expect(await continued(snippet)).toEqual([false, 400]),
  database: async snippet => expect(await continued(snippet)).toEqual([true, 200]),
  memory: async snippet => expect(await continued(snippet)).toEqual([true, 200]),
})

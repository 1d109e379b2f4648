import type { Gateway, ManagedGateway } from '@sluice/core'
import { serve } from '@sluice/node'
import { expect, onTestFinished } from 'vitest'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { tableUnder } from './runner/markdown.ts'

const page = 'docs/embeddings.md'

const post = (body: object) =>
  new Request('http://sluice.test/v1/embeddings', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-search', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'text-small', input: 'Hello', ...body }),
  })

/** The targets of a request to a snippet's gateway, and why they are skipped. */
async function candidatesOf({ run }: Snippet, edit?: (code: string) => string) {
  const { exports } = await run({ AZURE_OPENAI_API_KEY: 'a', OPENAI_API_KEY: 'b' }, edit)
  const { candidates, refusal } = await (exports.gateway as ManagedGateway).explain(post({}))
  expect(refusal).toBeUndefined()
  return candidates.map(({ model, skipped }) => [model, skipped?.why])
}

describePage(page, {
  embeddings: async ({ run }) => {
    const { fetch } = (await run()).exports.gateway as Gateway
    const response = await fetch(post({}))
    expect([response.status, response.headers.get('x-ratelimit-limit-requests')]).toEqual([200, '600'])
    expect((await response.json()).data).toMatchObject([{ object: 'embedding', index: 0 }])
    const taken = { input: [[1, 2]], encoding_format: 'base64', dimensions: 8, user: 'eve', input_type: null }
    const fields = tableUnder(page, '## Fields of a request').map(([name]) => name!.replaceAll('`', ''))
    expect(fields).toEqual(['model', 'input', 'encoding_format', 'dimensions', 'user', 'others'])
    expect((await (await fetch(post(taken))).json()).data[0].embedding).toMatch(/^[\w+/]+=*$/)
    expect((await fetch(post({ input: Array(2_048).fill('a') }))).status).toBe(200)
    expect((await fetch(post({ input: Array(2_049).fill('a') }))).status).toBe(400)
  },

  client: async ({ run }, others) => {
    const { gateway } = (await others('embeddings').run()).exports as { gateway: Gateway }
    const served = await serve(gateway, { port: 0 })
    onTestFinished(() => served.close())
    const { printed } = await run({}, code => code.replace('http://localhost:3000', served.url))
    expect(printed).toEqual(['0 128', '1 128', expect.stringMatching(/^\d+$/)])
  },

  spaces: async snippet => {
    expect(await candidatesOf(snippet)).toEqual([
      ['our-embeddings', undefined],
      ['text-embedding-3-small', undefined],
    ])
    const alone = (code: string) => code.replaceAll(/, embeddingSpace: '[\w-]+'/g, '')
    expect(await candidatesOf(snippet, alone)).toEqual([
      ['our-embeddings', undefined],
      ['text-embedding-3-small', 'unfit'],
    ])
  },
})

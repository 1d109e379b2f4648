import type { Gateway } from '@sluice/core'
import { serve } from '@sluice/node'
import { expect, it, onTestFinished } from 'vitest'
import { responsesFields } from '../../packages/core/src/dialects/responses/settings.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { tableUnder } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

const page = 'docs/responses.md'

async function servedBy(snippet: Snippet) {
  const { gateway } = (await snippet.run()).exports as { gateway: Gateway }
  const served = await serve(gateway, { port: 0 })
  onTestFinished(() => served.close())
  return served.url
}

const post = (path: string, body: object) =>
  new Request(`http://sluice.test/v1${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', input: 'Say hello.', ...body }),
  })

/** The texts in backquotes of a cell. */
const codesOf = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)

describePage(page, {
  gateway: async ({ run }) => {
    const { fetch } = (await run()).exports.gateway as Gateway
    const answer = await fetch(post('/responses', { truncation: 'auto', store: true }))
    expect(await answer.json()).toMatchObject({ object: 'response', status: 'completed', store: true })
    expect(answer.headers.has('x-ratelimit-limit-requests')).toBe(true)
    expect(answer.headers.get('x-sluice-adjustments')).toContain('truncation')
    const counted = await fetch(post('/responses/input_tokens', {}))
    expect(await counted.json()).toEqual({
      object: 'response.input_tokens',
      input_tokens: expect.any(Number),
    })
    const missing = await fetch(post('/responses', { model: 'NAME' }))
    const [row] = tableUnder(page, '## Errors')
    expect([String(missing.status), (await missing.json()).error.message]).toEqual([
      row![1],
      codesOf(row![2])[0],
    ])
    const refused = [{ prompt: { id: 'a' } }, { conversation: 'a' }, { background: true, store: false }]
    for (const body of refused) expect((await fetch(post('/responses', body))).status).toBe(400)
  },

  client: async ({ run }, others) => {
    const url = await servedBy(others('gateway'))
    const { printed } = await run({}, code => code.replace('http://localhost:3000', url))
    expect([printed[0], printed.slice(1).join('')]).toEqual(['12 * 7 = 84', 'hello.'])
  },

  background: async ({ run }, others) => {
    const url = await servedBy(others('gateway'))
    const { printed } = await run({}, code => code.replace('http://localhost:3000', url))
    expect(printed).toEqual(['completed 12 * 7 = 84'])
  },

  curl: async ({ code }, others) => {
    const url = await servedBy(others('gateway'))
    const line = code.replace('http://localhost:3000', url)
    expect(line).not.toBe(code)
    if (hasCurl) expect(await shell(line)).toContain('"text":"12 * 7 = 84"')
  },
})

it('names every field that the gateway reads', () => {
  const named = tableUnder(page, '## Fields of a request').flatMap(([field]) => codesOf(field))
  const silent = ['context_management', 'moderation', 'access_programs']
  expect([...responsesFields].filter(name => !named.includes(name) && !silent.includes(name))).toEqual([])
})

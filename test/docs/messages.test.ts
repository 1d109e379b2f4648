import { type Gateway, GatewayError } from '@sluice/core'
import { serve } from '@sluice/node'
import { expect, it, onTestFinished } from 'vitest'
import { messagesError } from '../../packages/core/src/dialects/messages/error.ts'
import { messagesFields } from '../../packages/core/src/dialects/messages/settings.ts'
import { errorTable } from '../../packages/core/src/errors/errors.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { tableUnder } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

const page = 'docs/messages.md'

async function servedBy(snippet: Snippet) {
  const { gateway } = (await snippet.run()).exports as { gateway: Gateway }
  const served = await serve(gateway, { port: 0 })
  onTestFinished(() => served.close())
  return served.url
}

const post = (path: string, body: object) =>
  new Request(`http://sluice.test/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': 'sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Say hello.' }], ...body }),
  })

/** The texts in backquotes of a cell. */
const codesOf = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)

describePage(page, {
  gateway: async ({ run }) => {
    const { fetch } = (await run()).exports.gateway as Gateway
    const answer = await fetch(post('/messages', { max_tokens: 100, top_k: 3, betas: ['a'] }))
    expect(await answer.json()).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'hello.' }],
    })
    const names = tableUnder(page, '## Response')
    expect(names.map(([reason]) => codesOf(reason)[0])).toContain('end_turn')
    for (const name of ['request-id', 'x-request-id', 'anthropic-ratelimit-requests-limit'])
      expect(answer.headers.has(name), name).toBe(true)
    expect(answer.headers.get('x-sluice-adjustments')).toContain('betas')
    const counted = await fetch(post('/messages/count_tokens', {}))
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) })
    expect(counted.headers.get('x-sluice-adjustments')).toContain('estimated')
    const missing = await fetch(post('/messages', { model: 'gpt-9', max_tokens: 1 }))
    expect(await missing.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: 'model: gpt-9' },
      request_id: expect.stringMatching(/^req_/),
    })
    expect((await fetch(post('/messages/batches', {}))).status).toBe(404)
    for (const body of [{ container: 'a' }, { mcp_servers: [{}] }, { max_tokens: 0 }])
      expect((await fetch(post('/messages', { max_tokens: 1, ...body }))).status).toBe(400)
  },

  client: async ({ run }, others) => {
    const url = await servedBy(others('gateway'))
    const { printed } = await run({}, code => code.replace('http://localhost:3000', url))
    expect([printed[0], printed.slice(1).join('')]).toEqual(['12 * 7 = 84', 'hello.'])
  },

  curl: async ({ code }, others) => {
    const url = await servedBy(others('gateway'))
    const line = code.replace('http://localhost:3000', url)
    expect(line).not.toBe(code)
    if (hasCurl) expect(await shell(line)).toContain('"text":"12 * 7 = 84"')
  },
})

it('names all fields of the API', () => {
  const rows = tableUnder(page, '## Fields of a request')
  const named = new Set(rows.flatMap(([name]) => codesOf(name)))
  const dropped = ['inference_geo', 'diagnostics', 'user_profile_id', 'workspace_id']
  expect([...messagesFields].filter(name => !named.has(name))).toEqual(dropped)
  expect([...named].filter(name => !messagesFields.has(name))).toEqual([])
})

it('has the status and type of every error', () => {
  const documented = tableUnder(page, '## Errors').map(([status, type]) => `${status} ${codesOf(type)[0]}`)
  const actual = new Set(
    (Object.keys(errorTable) as (keyof typeof errorTable)[])
      .filter(reason => reason !== 'client_disconnected' && reason !== 'websocket_not_supported')
      .map(reason => {
        const { status, body } = messagesError(new GatewayError(reason), 'req_1')
        return `${status} ${(body as { error: { type: string } }).error.type}`
      }),
  )
  expect(documented.sort()).toEqual([...actual].sort())
})

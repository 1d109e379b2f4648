import { describe, expect, it } from 'vitest'
import { responseCache } from '../../src/caching/response-cache.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

const question = { model: 'm', max_tokens: 50, temperature: 0, messages: [{ role: 'user', content: 'Hi' }] }

function serving() {
  let answers = 0
  const { target } = scripted(() => whole(`answer ${++answers}`))
  const gateway = createGateway({
    authenticate: request => ({ id: request.headers.get('x-who') ?? 'ann' }),
    route: models({ m: target }),
    cache: responseCache({ ttlMs: 60_000 }),
  })
  return async (more: object = {}, headers: Record<string, string> = {}) => {
    const response = await gateway.fetch(
      new Request('http://sluice.test/v1/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ ...question, ...more }),
      }),
    )
    const { content } = (await response.json()) as { content: readonly { text: string }[] }
    return [response.headers.get('x-sluice-cache'), content[0]!.text]
  }
}

describe('cached answers of the Messages API', () => {
  it('are for the same body, of the same principal', async () => {
    const ask = serving()
    expect(await ask()).toEqual(['miss', 'answer 1'])
    expect(await ask()).toEqual(['hit', 'answer 1'])
    expect(await ask({}, { 'x-who': 'bob' })).toEqual(['miss', 'answer 2'])
    expect(await ask({ max_tokens: 51 })).toEqual(['miss', 'answer 3'])
  })

  it('are for the same headers that a vendor reads', async () => {
    const ask = serving()
    expect(await ask({}, { 'anthropic-beta': 'a' })).toEqual(['miss', 'answer 1'])
    expect(await ask({}, { 'anthropic-beta': 'b' })).toEqual(['miss', 'answer 2'])
    expect(await ask({}, { 'anthropic-beta': 'a' })).toEqual(['hit', 'answer 1'])
  })

  it('are none of requests with what no chat completion has', async () => {
    expect(await serving()({ top_k: 3 })).toEqual([null, 'answer 1'])
    const ask = serving()
    const more = { context_management: { edits: [] } }
    expect(await ask(more)).toEqual([null, 'answer 1'])
    expect(await ask(more)).toEqual([null, 'answer 2'])
  })
})

import { describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway/managed-gateway.ts'
import { withEndpoints } from '../gateway/with-endpoints.ts'
import { type OpenApiOptions, openApi, openApiDocument } from './open-api.ts'

const gateway: Gateway = {
  fetch: async () => new Response('gateway'),
  matches: () => false,
  close: async () => {},
}

function served(options?: OpenApiOptions) {
  const both = withEndpoints(gateway, [openApi(options)])
  return (path: string, init: RequestInit = {}, mount = '') =>
    both.fetch(new Request(`http://sluice.test${path}`, init), { mount })
}

const serversOf = async (response: Response) => (await response.json()).servers

describe('openApi', () => {
  it('serves the document to everybody', async () => {
    const answer = await served()('/openapi.json')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
  })

  it('takes the service to stand where it was asked for', async () => {
    const ask = served()
    expect(await serversOf(await ask('/openapi.json'))).toBeUndefined()
    expect(await serversOf(await ask('/api/ai/openapi.json', {}, '/api/ai'))).toEqual([{ url: '/api/ai' }])
    expect(await serversOf(await ask('/openapi.json?a=/openapi.json'))).toBeUndefined()
  })

  it('names the base once where the mount ends with it', async () => {
    const ask = served()
    expect(await serversOf(await ask('/api/v1/openapi.json', {}, '/api/v1'))).toEqual([{ url: '/api' }])
    expect(await serversOf(await ask('/v1/openapi.json', {}, '/v1'))).toBeUndefined()
  })

  it('says the server that it was told, wherever it is asked', async () => {
    const ask = served({ server: 'https://ai.example.com' })
    const told = await serversOf(await ask('/api/openapi.json', {}, '/api'))
    expect(told).toEqual([{ url: 'https://ai.example.com' }])
  })

  it('is not sent again to who has it', async () => {
    const ask = served()
    const etag = (await ask('/openapi.json')).headers.get('etag')!
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('/openapi.json', { headers: { 'if-none-match': known } })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    expect((await ask('/openapi.json', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    const elsewhere = await ask('/a/openapi.json', { headers: { 'if-none-match': etag } }, '/a')
    expect(elsewhere.status).toBe(200)
  })

  it('answers HEAD without a body, and other methods with 405', async () => {
    const ask = served()
    const head = await ask('/openapi.json', { method: 'HEAD' })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([
      200,
      expect.stringMatching(/^"\w{32}"$/),
      '',
    ])
    const post = await ask('/openapi.json', { method: 'POST', body: '{}' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await post.json()).error.code).toBe('method_not_supported')
  })

  it('refuses a base that no gateway has', () => {
    for (const base of ['', 'v1', '/v1/', '/']) {
      expect(() => openApi({ basePath: base })).toThrow(TypeError)
    }
    expect(Object.keys(openApiDocument({ basePath: '/ai/v2' }).paths)[0]).toBe('/ai/v2/chat/completions')
  })
})

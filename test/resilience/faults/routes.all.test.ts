import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/refused.ts'
import { overAllMounts, overEveryServer } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** All that the gateway has, and what asks for it. */
const routes: Readonly<Record<string, readonly string[]>> = {
  '/chat/completions': ['POST'],
  '/completions': ['POST'],
  '/rerank': ['POST'],
  '/moderations': ['POST'],
  '/chat/completions/': ['POST'],
  '//chat/completions': ['POST'],
  '/responses': ['POST'],
  '/responses/input_tokens': ['POST'],
  '/responses/resp_1': ['GET', 'DELETE'],
  '/responses/resp_1/input_items': ['GET'],
  '/responses/resp_1/cancel': ['POST'],
  '/messages': ['POST'],
  '/messages/count_tokens': ['POST'],
  '/embeddings': ['POST'],
  '/models': ['GET', 'HEAD'],
  '/models/': ['GET', 'HEAD'],
  '/models/local': ['GET', 'HEAD'],
}

/** What others have, had, or meant to take away. */
const none = [
  '',
  '/',
  '/proxy',
  '/proxy/chat/completions',
  '/proxy/https://evil.example/v1/chat/completions',
  '/edits',
  '/files',
  '/engines/local/chat/completions',
  '/openai/deployments/local/chat/completions',
  '/chat/completions/1',
  '/chat%2Fcompletions',
  '/Chat/Completions',
  '/chat/completions;x=1',
  '/health',
  '/metrics',
  '/admin',
  '/config',
  '/key/generate',
]

/** Headers by which other gateways let a caller say where a request goes, or as whom. */
const override = (elsewhere: string) => ({
  'x-portkey-custom-host': elsewhere,
  'x-portkey-provider': 'openai',
  'x-portkey-config': JSON.stringify({ custom_host: elsewhere }),
  'x-portkey-forward-headers': 'authorization',
  'helicone-target-url': elsewhere,
  'helicone-openai-api-base': elsewhere,
  'x-litellm-api-base': elsewhere,
  'x-upstream-url': elsewhere,
  'x-target-url': elsewhere,
  'x-base-url': elsewhere,
  'x-model': 'other',
  'openai-base-url': elsewhere,
  'x-api-key': 'sk-callers-own',
  'api-key': 'sk-callers-own',
  'x-goog-api-key': 'sk-callers-own',
  'x-http-method-override': 'DELETE',
  'x-original-url': '/admin',
  'x-rewrite-url': '/admin',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-prefix': '/admin',
  forwarded: 'host=evil.example',
  'x-sluice-target': elsewhere,
  'cf-aig-authorization': 'Bearer x',
})

describe('F45 another way in, or another way out', () => {
  overAllMounts(mount => {
    it('every path asks who is calling, or is none', async () => {
      const upstream = await upstreamDuring()
      let asked = 0
      const { site } = await startService(mount, {
        models: { local: upstream },
        authenticate: () => {
          asked++
          return undefined
        },
      })
      for (const [path, allowed] of Object.entries(routes)) {
        for (const method of [...methods, 'HEAD']) {
          const before = asked
          // To the site, what begins with two slashes is a path from the root.
          const below = path.startsWith('//') ? `/${site.pathOf(path)}` : path
          const answer = await site.send(below, { method, key: null })
          const known = allowed.includes(method)
          expect([path, method, answer.status]).toEqual([path, method, known ? 401 : 405])
          expect(asked - before).toBe(known ? 1 : 0)
        }
      }
      const before = asked
      for (const path of none) {
        for (const method of ['GET', 'POST']) {
          expect([path, (await site.send(path, { method })).status]).toEqual([path, 404])
        }
      }
      expect(asked).toBe(before)
      expect(upstream.connections.total).toBe(0)
    })
  })

  overEveryServer(mount => {
    it('no header says where a request goes, with which key, or as whom', async () => {
      const upstream = await upstreamDuring()
      const evil = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { local: upstream } })
      const headers = override(evil.baseURL)
      expect((await site.chat({}, { headers })).status).toBe(200)
      expectRefusal(await site.chat({}, { headers, key: null }), 401, { code: 'invalid_api_key' })
      const [request] = upstream.requests
      expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
      expect(request?.json?.model).toBe('its-model')
      expect(
        Object.fromEntries(request?.rawHeaders.map(([name, value]) => [name.toLowerCase(), value]) ?? []),
      ).toEqual({
        host: new URL(upstream.url).host,
        connection: expect.any(String),
        'content-type': 'application/json',
        'content-length': expect.any(String),
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization: `Bearer ${upstreamKey}`,
      })
      expect(evil.connections.total).toBe(0)
      expect((await end()).principal).toEqual({ id: 'ann', source: 'api_keys' })
    })

    it('no query does', async () => {
      const upstream = await upstreamDuring()
      const evil = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const query = `?api_base=${evil.baseURL}&api_key=x&key=good-key&model=other&api-version=1`
      const answer = await site.send(`/chat/completions${query}`, {
        method: 'POST',
        body: { model: 'local', messages: [{ role: 'user', content: 'x' }] },
      })
      expect(answer.status).toBe(200)
      expect(upstream.requests[0]?.path).toBe('/v1/chat/completions')
      expectRefusal(await site.send(`/models${query}`, { method: 'GET', key: null }), 401, { code: null })
      expect(evil.connections.total).toBe(0)
    })
  })
})

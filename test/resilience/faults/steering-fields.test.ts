import { describe, expect, it } from 'vitest'
import { targets } from './harness/protocol-targets.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const canary = 'sk-callers-own-canary'

/** What client libraries and other gateways heed: where a request goes, in whose name, and what else is sent. */
const steering = (elsewhere: string) => ({
  api_base: elsewhere,
  api_key: canary,
  api_type: 'open',
  api_version: '../../..',
  azure_endpoint: elsewhere,
  base_url: elsewhere,
  custom_llm_provider: 'other',
  default_headers: { authorization: `Bearer ${canary}` },
  extra_body: { api_base: elsewhere, model: 'other', messages: [] },
  extra_headers: { authorization: `Bearer ${canary}`, host: 'evil.example' },
  extra_query: { key: canary },
})

/** What a vendor may know, and what no gateway may heed. */
const unknown = (elsewhere: string) => ({
  baseURL: elsewhere,
  apiKey: canary,
  url: elsewhere,
  host: 'evil.example',
  path: '/../admin',
  headers: { authorization: `Bearer ${canary}` },
  method: 'DELETE',
  provider: 'other',
  target: { provider: 'other', model: 'other' },
  model_list: [{ litellm_params: { api_base: elsewhere, api_key: canary } }],
  fallbacks: ['other'],
  proxy: elsewhere,
  user_config: { api_base: elsewhere },
})

describe('F23 fields that say where a request goes, and with which key', () => {
  overServers(mount => {
    it('steer nothing, at the top or nested: one upstream is asked, at its path, with its key', async () => {
      const upstream = await upstreamDuring()
      const evil = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const all = { ...steering(evil.baseURL), ...unknown(evil.baseURL) }
      const asked = [
        all,
        { x: { y: [all] } },
        { metadata: { api_base: evil.baseURL, base_url: evil.baseURL, api_key: canary } },
        { messages: [{ role: 'user', content: 'x', ...all }] },
        { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...all }] }] },
        { tools: [{ type: 'function', ...all, function: { name: 'f', parameters: all, ...all } }] },
        { stream_options: { ...all, include_usage: true }, stream: true },
        { response_format: { type: 'text', ...all } },
        { prediction: { type: 'content', content: 'x', ...all } },
      ]
      for (const fields of asked) {
        const { status, body } = await site.chat(fields)
        expect(status, body).toBe(200)
      }
      expect(evil.connections.total).toBe(0)
      expect(upstream.requests).toHaveLength(asked.length)
      for (const { method, path, headers, json } of upstream.requests) {
        expect([method, path, json?.model]).toEqual(['POST', '/v1/chat/completions', 'its-model'])
        expect(headers.host).toBe(new URL(upstream.url).host)
        expect(headers.authorization).toBe(`Bearer ${upstreamKey}`)
        expect(Object.keys(headers).sort()).toEqual([
          'accept',
          'accept-encoding',
          'authorization',
          'connection',
          'content-length',
          'content-type',
          'host',
        ])
      }
    })

    it.each(Object.entries(targets))('%s does not get them, and the caller is told', async (_, vendor) => {
      const upstream = await upstreamDuring(vendor.answer)
      const { site, end } = await startService(mount, { models: { local: vendor.at(upstream.url) } })
      const given = steering('https://evil.example/v1')
      const { status, body, headers } = await site.chat({ ...given, temperature: 0.5 })
      expect(status, body).toBe(200)
      const [request] = upstream.requests
      expect(request?.body).not.toMatch(/evil|canary/)
      for (const name of Object.keys(given)) {
        expect(request?.json).not.toHaveProperty(name)
        expect(headers['x-sluice-adjustments']).toContain(`"${name}";action=dropped`)
      }
      const { adjustments } = await end()
      expect(adjustments.map(({ parameter }) => parameter)).toEqual(
        expect.arrayContaining(Object.keys(given)),
      )
      expect(JSON.stringify(adjustments)).not.toMatch(/evil|canary/)
    })

    it('are a 400 where unknown parameters are rejected', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, {
        models: { local: upstream },
        unknownParameters: 'reject',
      })
      const fields = { ...steering('https://evil.example/v1'), ...unknown('https://evil.example/v1') }
      for (const [name, value] of Object.entries(fields)) {
        expectRefusal(await site.chat({ [name]: value }), 400, { code: 'unknown_parameter', param: name })
      }
      expect(upstream.connections.total).toBe(0)
    })

    it('are not in the name of a model either', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const names = ['http://evil.example/v1', '../local', 'local?api_base=x', 'local/../other', ' local']
      for (const model of [
        ...names,
        'other/local',
        'local#',
        'local\u0000',
        'LOCAL',
        '*',
        'vendor/its-model',
      ]) {
        expectRefusal(await site.chat({ model }), 404, { code: 'model_not_found' })
      }
      expect(upstream.connections.total).toBe(0)
    })
  })
})

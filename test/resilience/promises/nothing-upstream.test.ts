import { apiKeys, createGateway, type EndEvent, GatewayError, limits, models, requests } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { connectRawClient, requestBytes, startUpstream, type Upstream } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Asking, base, Site } from '../../e2e/conformance/site.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { overAllMounts } from '../faults/harness/servers.ts'

// P1: no request reaches an upstream before it is known who asks, that they may, that it is sound and that there is room.

const maxBytes = 2_000
const message = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const json = { 'content-type': 'application/json' }

interface Rejected extends Asking {
  readonly fields?: object
}

/** Every kind of rejection that one request can get. */
const rejections: readonly [string, number, Rejected][] = [
  ['no key', 401, { key: null }],
  ['an unknown key', 401, { key: 'unknown' }],
  ['an expired key', 401, { key: 'old-key' }],
  ['a disabled key', 401, { key: 'disabled-key' }],
  ['another scheme', 401, { headers: { authorization: 'Basic Z29vZC1rZXk=' } }],
  ['a model that is not allowed', 403, { key: 'other-key' }],
  ['an unknown model', 404, { fields: { model: 'none' } }],
  ['another method', 405, { method: 'PUT' }],
  ['no model', 400, { fields: { model: undefined } }],
  ['no messages', 400, { fields: { messages: undefined } }],
  ['empty messages', 400, { fields: { messages: [] } }],
  ['messages of a wrong type', 400, { fields: { messages: 'x' } }],
  ['content of a wrong type', 400, { fields: message(7) }],
  ['a number out of range', 400, { fields: { temperature: 3 } }],
  ['no JSON', 400, { body: '{"model":"local",' }],
  ['a key twice', 400, { body: '{"model":"local","model":"local","messages":[]}' }],
  ['too deep', 400, { fields: message([...Array(70)].reduce(inner => [inner], 'x')) }],
  ['too many values', 400, { fields: message([...Array(400)].fill(0)) }],
  ['another content type', 400, { headers: { 'content-type': 'text/plain' } }],
  ['a compressed body', 400, { headers: { ...json, 'content-encoding': 'gzip' } }],
  ['invalid UTF-8', 400, { body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d) }],
  [
    'half a surrogate pair',
    400,
    { body: '{"model":"local","messages":[{"role":"user","content":"\\ud800"}]}' },
  ],
  ['a body that is too large', 413, { fields: message('x'.repeat(maxBytes)) }],
  ['no room', 429, { key: 'full-key' }],
]

async function service(mount: Mount): Promise<{ site: Site; upstream: Upstream; ends: EndEvent[] }> {
  const upstream = await startUpstream()
  const ends: EndEvent[] = []
  const one = limits([requests(1).per('day')])
  const vendor = openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL, apiKey: 'k' })
  const gateway = createGateway({
    authenticate: apiKeys([
      { id: 'ann', key: 'good-key' },
      { id: 'old', key: 'old-key', expiresAt: 1 },
      { id: 'disabled', key: 'disabled-key', disabled: true },
      { id: 'other', key: 'other-key', models: ['other'] },
      { id: 'full', key: 'full-key' },
    ]),
    route: models({ local: vendor('m') }),
    limits: {
      admit: (principal, draft, context) => {
        if (principal.id === 'full') throw new GatewayError('rate_limit_exceeded')
        return principal.id === 'ann' ? { headers: {}, settle() {} } : one.admit(principal, draft, context)
      },
    },
    requestLimits: { maxBytes, maxElements: 300, deadlineMs: 150 },
    observe: event => void (event.type === 'end' && ends.push(event)),
  })
  const running = await mount(gateway)
  const site = new Site()
  site.settle(running)
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1_000 })
    await running.close()
    await upstream.close()
  })
  return { site, upstream, ends }
}

describe('P1: what is rejected reaches no upstream', () => {
  overAllMounts(mount => {
    it('whatever it is rejected for, streamed or not; and what is sound does', async () => {
      const { site, upstream, ends } = await service(mount)
      for (const [name, status, { fields, ...asking }] of rejections) {
        for (const stream of [false, true]) {
          const got = await site.chat({ ...base, stream, ...fields }, asking)
          expect(got.status, name).toBe(status)
        }
      }
      // A connection would be open by now, for the last of these is answered.
      expect(upstream.connections.total).toBe(0)
      expect(upstream.requests).toHaveLength(0)
      expect(ends.flatMap(({ attempts }) => attempts)).toEqual([])
      expect((await site.chat()).status).toBe(200)
      expect(upstream.requests).toHaveLength(1)
    })

    it('nor does a request whose body does not come', async () => {
      const { site, upstream } = await service(mount)
      const client = await connectRawClient({ port: site.port })
      const headers = { authorization: 'Bearer good-key', ...json, 'content-length': '100' }
      const path = site.pathOf('/chat/completions')
      await client.send(requestBytes({ method: 'POST', path, headers, body: '{"model":"local"' }))
      expect((await client.response())?.status).toBe(408)
      await client.close()
      expect(upstream.connections.total).toBe(0)
    })

    it('nor does what is asked of other paths', async () => {
      const { site, upstream } = await service(mount)
      for (const below of [
        '/models',
        '/models/local',
        '/chat',
        '/chat/completions/x',
        '/completions',
        '/../admin',
      ])
        await site.get(below)
      expect(upstream.connections.total).toBe(0)
    })
  })
})

import type { Target } from '@sluice/core'
import { anthropic, azure, gemini } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Each sends its credential by another header; `fetch` takes only `authorization` off a request that it redirects. */
const vendors: Record<string, { header: string; target(origin: { url: string; baseURL: string }): Target }> =
  {
    'chat completions': { header: 'authorization', target: targetAt },
    Anthropic: {
      header: 'x-api-key',
      target: ({ url }) => anthropic({ apiKey: upstreamKey, baseURL: `${url}/v1` })('m'),
    },
    Gemini: {
      header: 'x-goog-api-key',
      target: ({ url }) => gemini({ apiKey: upstreamKey, baseURL: `${url}/v1beta` })('m'),
    },
    Azure: {
      header: 'api-key',
      target: ({ url }) => azure({ apiKey: upstreamKey, baseURL: url })('m'),
    },
  }

describe('F44 the upstream redirects to another origin', () => {
  overServers(mount => {
    it.each(Object.entries(vendors))(
      'is refused, and the other origin sees no connection: %s',
      async (_, vendor) => {
        const elsewhere = await upstreamDuring()
        const upstream = await upstreamDuring()
        const { site, end } = await startService(mount, { models: { m: vendor.target(upstream) } })
        let asked = 0
        for (const status of [300, 301, 302, 303, 305, 307, 308, 399]) {
          for (const stream of [false, true]) {
            upstream.respondWith(steps.redirect(`${elsewhere.url}/v1/chat/completions`, status))
            const answered = await site.chat({ model: 'm', stream })
            expect(answered).toMatchObject({ status: 502, json: { error: { code: 'bad_gateway' } } })
            expect(answered.headers.location).toBeUndefined()
            expect(answered.body).not.toContain(String(elsewhere.port))
            expect(await end(++asked)).toMatchObject({
              outcome: 'upstream_failed',
              attempts: [{ called: true, error: { kind: 'refused', status } }],
            })
          }
        }
        expect(upstream.requests).toHaveLength(asked)
        for (const { headers } of upstream.requests) expect(headers[vendor.header]).toContain(upstreamKey)
        expect(elsewhere.connections.total).toBe(0)
      },
    )

    it('is not followed on its own origin either, but left for the next target', async () => {
      const upstream = await upstreamDuring(
        steps.redirect('/v2/chat/completions'),
        steps.redirect('//127.0.0.1:9/'),
      )
      const next = await upstreamDuring(steps.answer())
      const { site } = await startService(mount, { models: { m: [upstream, next].map(targetAt) } })
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect(upstream.requests).toHaveLength(2)
      expect(next.requests).toHaveLength(2)
    })
  })
})

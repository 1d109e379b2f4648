import { createGateway, models, withCors } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { sendRawRequest } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { overAllMounts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const home = 'https://app.example'

/** Each is somebody else's, but for a reader that compares by a part. */
const strangers = [
  'https://evil.example',
  'null',
  'https://app.example.evil.example',
  'https://evilapp.example',
  'https://app.example:8443',
  'http://app.example',
  'https://app.example/',
  'https://app.example, https://evil.example',
  'HTTPS://APP.EXAMPLE',
  'https://app.example@evil.example',
  '*',
  'https://app.example x-injected: 1',
]

/** A gateway whose pages may come from the named origins. */
const withOrigins =
  (mount: Mount, origins: readonly string[] | '*'): Mount =>
  gateway =>
    mount(withCors(gateway, { origins }))

const names = (header = '') => header.toLowerCase().split(/ *, */).sort()

describe('F24 pages of other origins, and preflights that are costly to read', () => {
  overAllMounts(mount => {
    it('are let in by nobody where CORS is off', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const headers = { origin: home, 'access-control-request-method': 'POST' }
      const preflight = await site.send('/chat/completions', { method: 'OPTIONS', key: null, headers })
      const answer = await site.chat({}, { headers })
      expect([preflight.status, answer.status]).toEqual([405, 200])
      for (const { headers: got } of [preflight, answer]) {
        expect(Object.keys(got).filter(name => name.startsWith('access-control-'))).toEqual([])
      }
    })

    it('are told apart by the whole of their origin, and never with credentials', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(withOrigins(mount, [home]), { models: { local: upstream } })
      for (const origin of [...strangers, home]) {
        const headers = { origin, 'access-control-request-method': 'POST' }
        const answers = [
          await site.send('/chat/completions', { method: 'OPTIONS', key: null, headers }),
          await site.chat({}, { key: null, headers: { origin } }),
          await site.get('/models', { headers: { origin } }),
        ]
        for (const { headers: got } of answers) {
          expect(got['access-control-allow-origin']).toBe(origin === home ? home : undefined)
          expect(got).not.toHaveProperty('access-control-allow-credentials')
          expect(got).not.toHaveProperty('x-injected')
          expect(names(got.vary)).toContain('origin')
        }
        // Nothing of the request gets into what caches tell answers apart by.
        expect(names(answers[1]?.headers.vary)).toEqual(['authorization', 'origin'])
        expect(names(answers[0]?.headers.vary)).toEqual(['access-control-request-headers', 'origin'])
      }
    })

    it('are not named by a wildcard', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(withOrigins(mount, '*'), { models: { local: upstream } })
      const { headers } = await site.chat({}, { headers: { origin: 'https://evil.example' } })
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    })

    it('send a preflight of 1 MB of white space for nothing', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(withOrigins(mount, [home]), { models: { local: upstream } })
      const preflight = (requested: string) => {
        const head = `OPTIONS ${site.pathOf('/chat/completions')} HTTP/1.1\r\nHost: a\r\nOrigin: ${home}\r\n`
        const asked = `Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: ${requested}\r\n\r\n`
        return sendRawRequest({ port: site.port, method: 'OPTIONS', text: head + asked })
      }
      const start = performance.now()
      expect((await preflight(`a${' '.repeat(1_000_000)}b`)).status).toBe(431)
      for (const requested of [`a${' \t'.repeat(7_000)}b`, `${','.repeat(15_000)}`, 'x-a, '.repeat(3_000)]) {
        const { status, headers } = await preflight(requested)
        expect(status).toBe(204)
        // The list is the gateway's own: nothing is reflected.
        expect(headers['access-control-allow-headers']).toMatch(
          /^authorization, x-api-key, content-type, cache-control, /,
        )
        expect(headers['access-control-allow-headers']).not.toContain('x-a,')
      }
      expect(performance.now() - start).toBeLessThan(5_000)
    })
  })

  it('is linear also where no server bounds the head', async () => {
    const upstream = await upstreamDuring()
    const gateway = createGateway({
      authenticate: () => undefined,
      route: models({ local: openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL })('m') }),
    })
    onTestFinished(() => gateway.close())
    const { fetch } = withCors(gateway, { origins: [home] })
    const start = performance.now()
    for (const white of [' ', '\t', ' ,', ',']) {
      const headers = {
        origin: home,
        'access-control-request-method': 'POST',
        'access-control-request-headers': `a${white.repeat(1_000_000)}b`,
      }
      const answer = await fetch(new Request('http://a/v1/chat/completions', { method: 'OPTIONS', headers }))
      expect(answer.status).toBe(204)
    }
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

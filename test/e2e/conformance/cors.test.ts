import { withCors } from '@sluice/core'
import { expect, it } from 'vitest'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const origin = 'https://app.example'
const names = (header: string | undefined) => (header ?? '').toLowerCase().split(/ *, */)

overMounts(
  () => withCors(testGateway(), { origins: [origin] }),
  site => {
    const preflight = (from: string, path = '/chat/completions') =>
      site.send(path, {
        method: 'OPTIONS',
        key: null,
        headers: {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,x-stainless-os',
        },
      })

    it('C114 answers a preflight without a key', async () => {
      for (const path of ['/chat/completions', '/models', '/models/local']) {
        const { status, headers, body } = await preflight(origin, path)
        expect(status).toBe(204)
        expect(body).toBe('')
        expect(headers['access-control-allow-origin']).toBe(origin)
        expect(names(headers['access-control-allow-headers'])).toEqual(
          expect.arrayContaining(['authorization', 'content-type', 'x-stainless-os', 'x-client-request-id']),
        )
        expect(names(headers['access-control-allow-methods'])).toEqual(
          expect.arrayContaining(['get', 'post']),
        )
        expect(names(headers.vary)).toContain('origin')
      }
    })

    it('C114 lets a page read answers, errors and streams', async () => {
      const answers = [
        await site.chat({}, { headers: { origin } }),
        await site.chat({ temperature: 9 }, { headers: { origin } }),
        await site.chat({}, { key: null, headers: { origin } }),
        await site.chat({ stream: true }, { headers: { origin } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 200])
      for (const { headers } of answers) {
        expect(headers['access-control-allow-origin']).toBe(origin)
        expect(names(headers['access-control-expose-headers'])).toEqual(
          expect.arrayContaining(['x-request-id', 'retry-after', 'x-should-retry']),
        )
        expect(headers['x-request-id']).toMatch(/^req_/)
        expect(names(headers.vary)).toContain('origin')
      }
    })

    it('C114 lets no other page in', async () => {
      const from = 'https://evil.example'
      expect((await preflight(from)).headers).not.toHaveProperty('access-control-allow-origin')
      const answer = await site.chat({}, { headers: { origin: from } })
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      expect(names(answer.headers.vary)).toContain('origin')
    })
  },
)

import { withCors } from '@sluice/core'
import { chunks, sendRawRequest, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overAllMounts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

type Headers = Readonly<Record<string, string>>

/** A shared cache that obeys RFC 9111 keeps no such answer, and would not give it to another caller. */
function expectUncached(headers: Headers): void {
  const directives = (headers['cache-control'] ?? '').split(/ *, */)
  expect(directives).toContain('no-store')
  expect(directives).not.toContain('public')
  expect((headers.vary ?? '').toLowerCase().split(/ *, */)).toContain('authorization')
  for (const name of ['etag', 'last-modified', 'expires', 'age']) expect(headers).not.toHaveProperty(name)
}

describe('F81 a shared cache in front', () => {
  overAllMounts(mount => {
    it('may keep no answer: whole, streamed, listed, refused or broken', async () => {
      const vendorsOwn = { 'cache-control': 'public, max-age=600', etag: '"a"', vary: '*', age: '3' }
      const broken = sse(chunks({ text: 'one two three' })).slice(0, 3)
      const upstream = await upstreamDuring(
        steps.reply(
          { choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }] },
          { headers: vendorsOwn },
        ),
        steps.stream(sse(chunks({ text: 'x' })), { headers: vendorsOwn }),
        [steps.stream(broken), steps.cut()],
        steps.reply({ error: { message: 'no' } }, { status: 400, headers: vendorsOwn }),
        steps.reply('<html>', { status: 503, headers: vendorsOwn }),
      )
      const { site } = await startService(mount, {
        models: { local: upstream },
        requestLimits: { maxBytes: 10_000 },
      })
      const cached = { 'if-none-match': '"a"', 'cache-control': 'only-if-cached' }
      const answers = {
        whole: await site.chat(),
        streamed: await site.chat({ stream: true }),
        'broken off': await site.chat({ stream: true }),
        'refused by the upstream': await site.chat(),
        'failed upstream': await site.chat(),
        invalid: await site.chat({ temperature: 9 }),
        'not JSON': await site.chat({}, { body: '{' }),
        'too large': await site.chat({ user: 'x'.repeat(20_000) }),
        'without a key': await site.chat({}, { key: null }),
        'with a wrong key': await site.chat({}, { key: 'wrong' }),
        'unknown model': await site.chat({ model: 'other' }),
        models: await site.get('/models', { headers: cached }),
        model: await site.get('/models/local', { headers: cached }),
        'no such model': await site.get('/models/other'),
        'head of models': await site.send('/models', { method: 'HEAD' }),
        'unknown path': await site.get('/nothing'),
        'wrong method': await site.get('/chat/completions'),
        malformed: await sendRawRequest({
          port: site.port,
          text: `GET ${site.pathOf('/models')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good-key\r\nAuthorization: Bearer other\r\n\r\n`,
        }),
      }
      const statuses = Object.values(answers).map(({ status }) => status)
      expect(statuses).toEqual([
        ...[200, 200, 200, 400, 503, 400, 400, 413, 401, 401],
        ...[404, 200, 200, 404, 200, 404, 405, 400],
      ])
      for (const [name, { headers }] of Object.entries(answers)) {
        expect(() => expectUncached(headers), name).not.toThrow()
      }
    })

    it('tells pages apart too', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(gateway => mount(withCors(gateway, { origins: '*' })), {
        models: { local: upstream },
      })
      for (const fields of [{}, { stream: true }, { n: 0 }]) {
        const { headers } = await site.chat(fields, { headers: { origin: 'https://app.example' } })
        expectUncached(headers)
        expect(headers.vary).toMatch(/origin/i)
      }
    })
  })
})

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { chunks, completion, type Script, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const whole = JSON.stringify(completion())
const events = sse(chunks()).join('')
const MiB = 1_048_576

const coded = (body: Uint8Array, coding: string, type = 'application/json'): Script =>
  steps.reply(body, { headers: { 'content-type': type, 'content-encoding': coding } })
const codings: Record<string, (text: string) => readonly [Uint8Array, string]> = {
  gzip: text => [gzipSync(text), 'gzip'],
  deflate: text => [deflateSync(text), 'deflate'],
  br: text => [brotliCompressSync(text), 'br'],
  'gzip, 20 times over': text => [
    Array.from({ length: 20 }).reduce<Uint8Array>(body => gzipSync(body), Buffer.from(text)),
    Array(20).fill('gzip').join(', '),
  ],
}

describe('F48 the upstream compresses its answer although nothing but identity was asked for', () => {
  overServers(mount => {
    it.each(Object.entries(codings))('is never inflated, but refused: %s', async (_, code) => {
      // Right answers, were they inflated.
      const upstream = await upstreamDuring(
        coded(...code(whole)),
        coded(...code(events), 'text/event-stream'),
        coded(...code(whole)),
      )
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: upstream, list: [upstream, next].map(targetAt) },
      })
      for (const [n, stream] of [
        [1, false],
        [2, true],
      ] as const) {
        expect(await site.chat({ model: 'm', stream })).toMatchObject({
          status: 502,
          json: { error: { code: 'bad_gateway' } },
        })
        expect(await end(n)).toMatchObject({
          outcome: 'upstream_failed',
          attempts: [{ error: { kind: expect.stringMatching(/^(garbled|truncated)$/) } }],
        })
      }
      expect((await site.chat({ model: 'list' })).status).toBe(200)
      expect(upstream.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(
        Array(3).fill('identity'),
      )
    })

    it('is a bomb: 200 MB within 200 KB cost nothing', async () => {
      const member = gzipSync('a'.repeat(MiB))
      const bomb = Buffer.concat([
        gzipSync('{"choices":[{"message":{"content":"'),
        ...Array(200).fill(member),
      ])
      const upstream = await upstreamDuring(coded(bomb, 'gzip'), coded(bomb, 'gzip', 'text/event-stream'))
      const { site } = await startService(mount, { models: { m: upstream } })
      const before = process.resourceUsage().maxRSS
      for (const stream of [false, true]) {
        expect((await site.chat({ model: 'm', stream })).status).toBe(502)
      }
      expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024)
    })

    it.each([
      ['an answer', 200, false],
      ['an answer where a stream was asked for', 200, true],
      ['an error', 500, false],
      ['an error where a stream was asked for', 429, true],
    ] as const)('without compression, %s without end is cut off at 32 MiB', async (_, status, stream) => {
      const upstream = await upstreamDuring([
        steps.head({ status, headers: { 'content-type': 'application/json' } }),
        steps.flood({ unit: `{"error":"${'x'.repeat(1000)}",`.repeat(64) }),
      ])
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        stream: { holdMs: 10_000 },
      })
      const answered = await site.chat({ model: 'm', stream })
      expect(answered.status).toBe(status === 429 ? 429 : 502)
      expect(answered.bytes.length).toBeLessThan(4_096)
      await upstream.waitForClose()
      expect(upstream.bytesWritten).toBeGreaterThan(32 * MiB)
      expect(upstream.bytesWritten).toBeLessThan(48 * MiB)
      expect((await end()).outcome).toBe('upstream_failed')
    })

    it('without compression, a right answer of 20 MiB passes', async () => {
      const text = 'äöü 😀 '.repeat(Math.ceil((20 * MiB) / 12))
      const upstream = await upstreamDuring(steps.reply(completion({ text })))
      const { site } = await startService(mount, { models: { m: upstream } })
      const { json } = await site.chat({ model: 'm' })
      expect(json).toMatchObject({ choices: [{ message: { content: expect.any(String) } }] })
      expect(JSON.stringify(json).includes(text)).toBe(true)
    })
  })
})

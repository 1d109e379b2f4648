import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { bodyParserErrors, toExpress } from '@sluice/express'
import type { RawRequestOptions } from '@sluice/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { mounted } from '../../e2e/mounts/mounts.ts'
import { connected, headOf } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const good = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] })
const bombBytes = 64 * 1024 * 1024

describe('F14 a compressed body, or a bomb in one', () => {
  const codings = [
    'gzip',
    'GZIP',
    'br',
    'zstd',
    'deflate',
    'x-unknown',
    'gzip, gzip',
    'identity, gzip',
    'chunked',
  ]

  overServers(mount => {
    it('is a 400 by its header, before a byte of it has come', async () => {
      const upstream = await upstreamDuring()
      const { site, ends } = await startService(mount, { models: { m: upstream } })
      for (const coding of codings) {
        const client = await connected(
          site,
          headOf(site, 'Content-Length: 60000', `Content-Encoding: ${coding}`),
        )
        const answer = await client.response()
        if (answer === undefined) throw new Error('no answer')
        const message = `Unsupported content encoding: '${coding}'. Expected the body as it is, without the header 'Content-Encoding'.`
        expectRefusal({ ...answer, received: client.received }, 400, { code: null, message })
      }
      expect(ends.map(({ status }) => status)).toEqual(codings.map(() => 400))
      expect(upstream.requests).toHaveLength(0)
    })

    it('is never looked for: compressed bytes without the header are no JSON', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const pack of [gzipSync, brotliCompressSync, deflateSync]) {
        expectRefusal(await site.chat({}, { body: pack(good) }), 400, {
          code: null,
          message: /could not parse/,
        })
      }
      const plain = await site.chat({}, { body: good, headers: { 'content-encoding': 'identity' } })
      expect(plain.status).toBe(200)
      expect(upstream.requests).toHaveLength(1)
    })

    it('is never inflated', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const body = gzipSync(Buffer.alloc(bombBytes, ' '))
      expect(body.length).toBeLessThan(100_000)
      const before = process.memoryUsage()
      for (const headers of [{ 'content-encoding': 'gzip' }, {}]) {
        expectRefusal(await site.chat({}, { body, headers }), 400, { code: null })
      }
      const { arrayBuffers, heapUsed } = process.memoryUsage()
      const grown = arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed
      expect(grown).toBeLessThan(bombBytes / 2)
      expect(upstream.requests).toHaveLength(0)
    })
  })

  it('is inflated by a parser of the host no further than its limit', async () => {
    const upstream = await upstreamDuring()
    const { site, events } = await startService(
      gateway => {
        const app = express()
        app.use(express.json(), bodyParserErrors(gateway), toExpress(gateway))
        return mounted(app)
      },
      { models: { m: upstream } },
    )
    const headers = { 'content-encoding': 'gzip' }
    const bomb = gzipSync(Buffer.alloc(bombBytes, ' '))
    expectRefusal(await site.chat({}, { body: bomb, headers }), 413, { code: null })
    expect([events.length, upstream.requests.length]).toEqual([0, 0])
    expect((await site.chat({}, { body: gzipSync(good), headers })).status).toBe(200)
  })
})

describe('F15 a body that is not declared as JSON in UTF-8', () => {
  const others = [
    null,
    '',
    'text/plain',
    'text/plain; charset=utf-8',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/json, text/plain',
    'application/jsonp',
    'application/ json',
    'application/json; charset=utf-16',
    'application/json; charset=utf-16le',
    'application/json; charset=iso-8859-1',
    'application/json; charset="utf-7"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; CHARSET=UTF-32',
    `text/${'x'.repeat(5_000)}`,
  ]
  const json = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf8 ',
    'application/json; version=1',
  ]

  overServers(mount => {
    it('is a 400: a page cannot send it without asking first', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const type of others) {
        const answer = await site.chat({ model: 'm' }, { headers: { 'content-type': type } })
        expectRefusal(answer, 400, { code: 'unsupported_content_type', message: /^Unsupported content type/ })
      }
      expect(upstream.requests).toHaveLength(0)
      for (const type of json) {
        const answer = await site.chat({ model: 'm' }, { headers: { 'content-type': type } })
        expect([type, answer.status]).toEqual([type, 200])
      }
      expect(upstream.requests).toHaveLength(json.length)
    })

    it('is not made JSON by a second Content-Type behind the first', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const two: RawRequestOptions['headers'] = [
        ['authorization', 'Bearer good-key'],
        ['content-type', 'text/plain'],
        ['Content-Type', 'application/json'],
      ]
      const asked = site.send('/chat/completions', {
        method: 'POST',
        key: null,
        headers: two as never,
        body: good,
      })
      expectRefusal(await asked, 400, { code: null })
      expect(upstream.requests).toHaveLength(0)
    })

    it('gets no leave from a preflight', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const origin = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
      const preflight = await site.send('/chat/completions', {
        method: 'OPTIONS',
        key: null,
        headers: origin,
      })
      expect(preflight.status).toBe(405)
      const simple = await site.chat({ model: 'm' }, { headers: { origin: 'https://evil.example' } })
      for (const { headers } of [preflight, simple]) {
        expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
      }
    })
  })
})

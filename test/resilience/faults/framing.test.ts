import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { answersOn, bareHeadOf, connected, headOf, wholeRequest } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overHosts, served } from './harness/served.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const key = 'Authorization: Bearer good-key'
const json = 'Content-Type: application/json'
const chunked = 'Transfer-Encoding: chunked'

/** Heads that two readers could read in two ways, as lines. */
const heads: Readonly<Record<string, readonly string[]>> = {
  'Content-Length and Transfer-Encoding': ['Host: a', key, json, 'Content-Length: 6', chunked],
  'Transfer-Encoding and Content-Length': ['Host: a', key, json, chunked, 'Content-Length: 6'],
  'two lengths': ['Host: a', key, json, 'Content-Length: 5', 'Content-Length: 6'],
  'a list of lengths': ['Host: a', key, json, 'Content-Length: 5, 6'],
  'a length with a sign': ['Host: a', key, json, 'Content-Length: +5'],
  'a negative length': ['Host: a', key, json, 'Content-Length: -5'],
  'a length in other digits': ['Host: a', key, json, 'Content-Length: 0x5'],
  'a length beyond all numbers': ['Host: a', key, json, `Content-Length: ${'9'.repeat(40)}`],
  'chunked before another coding': ['Host: a', key, json, 'Transfer-Encoding: chunked, identity'],
  'a space before the colon': ['Host: a', key, json, 'Transfer-Encoding : chunked'],
  'a folded line': ['Host: a', key, json, 'X-A: b', ' Transfer-Encoding: chunked'],
  'a line without a colon': ['Host: a', key, json, 'Transfer-Encoding'],
  'a bare line feed': ['Host: a', key, json, 'X-A: b\nTransfer-Encoding: chunked'],
  'a bare carriage return': ['Host: a', key, json, 'X-A: b\rTransfer-Encoding: chunked'],
  'NUL in a value': ['Host: a', key, json, 'X-A: b\0c'],
  'no Host': [key, json, 'Content-Length: 0'],
}

/** Bodies whose chunks are no chunks, or too much of them. */
const bodies: Readonly<Record<string, string>> = {
  'a chunk size that is none': 'zz\r\n',
  'a negative chunk size': '-5\r\nhello\r\n',
  'a chunk size beyond all numbers': `${'f'.repeat(20)}\r\n`,
  'a chunk longer than it says': '2\r\n{}{}\r\n0\r\n\r\n',
  'a huge chunk extension': `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  'a line feed alone after the size': '2\n{}\r\n0\r\n\r\n',
}

describe('F10 a head or a body whose framing is ambiguous or broken', () => {
  overHosts(mount => {
    it.each(Object.entries(heads))('refuses %s, and nothing of it reaches the gateway', async (_, lines) => {
      const upstream = await upstreamDuring()
      const { site, events } = await startService(mount, { models: { m: upstream } })
      const client = await connected(site, `${bareHeadOf(site, ...lines)}0\r\n\r\n${wholeRequest(site)}`)
      const answer = await client.response()
      await client.waitForEnd()
      expect(answer?.status).toBe(400)
      expect([answersOn(client), events.length, upstream.requests.length]).toEqual([1, 0, 0])
      if (mount === served && answer !== undefined) {
        expectRefusal({ ...answer, received: client.received }, 400, { code: null })
        expect(answer.headers.connection).toBe('close')
      }
    })

    it('refuses a head of 17 KB', async () => {
      const upstream = await upstreamDuring()
      const { site, events } = await startService(mount, { models: { m: upstream } })
      const client = await connected(site, headOf(site, `X-A: ${'b'.repeat(17_000)}`) + wholeRequest(site))
      const answer = await client.response()
      await client.waitForEnd()
      expect(answer?.status).toBe(431)
      expect([answersOn(client), events.length, upstream.requests.length]).toEqual([1, 0, 0])
      if (mount === served && answer !== undefined) {
        expectRefusal({ ...answer, received: client.received }, 431, { code: null })
      }
    })

    it.each(Object.entries(bodies))('refuses %s, and asks nobody for it', async (_, body) => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const client = await connected(site, headOf(site, chunked) + body + wholeRequest(site))
      const answer = await client.response()
      await client.waitForEnd()
      expect([400, 413]).toContain(answer?.status)
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', attempts: [] })
      expect([answersOn(client), upstream.requests.length]).toEqual([1, 0])
      if (mount === served && answer !== undefined) {
        expectRefusal({ ...answer, received: client.received }, answer.status, { code: null })
      }
    })

    it.each([
      ['Transfer-Encoding: gzip, chunked', 501],
      ['Transfer-Encoding: GZIP,Chunked', 501],
      ['Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', 501],
      ['Transfer-Encoding: identity, chunked', 501],
      ['Transfer-Encoding: chunked, chunked', 400],
      ['Transfer-Encoding: xchunked', 400],
      ['Transfer-Encoding: gzip', 400],
      [`Transfer-Encoding: chunked\r\n${json}`, 400],
      [`Transfer-Encoding: chunked\r\nContent-Type: text/plain`, 400],
      [`Transfer-Encoding: chunked\r\ncontent-TYPE: application/json`, 400],
    ])('refuses the further header %j with %d, before anybody asks who is calling', async (lines, status) => {
      const upstream = await upstreamDuring()
      let asked = 0
      const authenticate = () => {
        asked++
        return { id: 'ann' }
      }
      const { site, events } = await startService(mount, { models: { m: upstream }, authenticate })
      const body = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}'
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      const client = await connected(site, headOf(site, ...lines.split('\r\n')) + chunks)
      const answer = await client.response()
      expect(answer?.status).toBe(status)
      expect([asked, events.length, upstream.requests.length]).toEqual([0, 0, 0])
      if (mount === served && answer !== undefined) {
        const type = status === 501 ? 'server_error' : 'invalid_request_error'
        expect(answer.json).toMatchObject({ error: { type, code: null } })
      }
    })

    it('goes on with others after all of that', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const broken = await connected(site, 'no HTTP at all\r\n\r\n')
      await broken.waitForEnd()
      expect((await site.chat({ model: 'm' })).status).toBe(200)
    })
  })

  it('is never let through by a parser that was told to be lenient', () => {
    const packages = fileURLToPath(new URL('../../../packages/', import.meta.url))
    const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
      name => /\/src\/.*\.ts$/.test(name) && !name.includes('node_modules'),
    )
    expect(sources.length).toBeGreaterThan(100)
    const lenient = sources.filter(name => /insecureHTTPParser/.test(readFileSync(packages + name, 'utf8')))
    expect(lenient).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { answersOn, connected, headOf, wholeRequest } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overHosts } from './harness/served.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const maxBytes = 100_000
/** What one read of a socket gives at most. */
const oneRead = 65_536
const chunked = 'Transfer-Encoding: chunked'

describe('F12 a body over the limit, or one that lies about its length', () => {
  overHosts(mount => {
    async function small() {
      const upstream = await upstreamDuring()
      const service = await startService(mount, { models: { m: upstream }, requestLimits: { maxBytes } })
      return { upstream, ...service }
    }

    it('is a 413 by its length alone, before a byte of it has come', async () => {
      const { site, upstream, end } = await small()
      for (const length of [maxBytes + 1, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
        const client = await connected(site, headOf(site, `Content-Length: ${length}`))
        const answer = await client.response()
        if (answer === undefined) throw new Error('no answer')
        expectRefusal({ ...answer, received: client.received }, 413, {
          code: null,
          message: `Maximum content size limit (${maxBytes}) exceeded (${length} bytes read)`,
        })
        expect(answer.headers.connection).toBe('close')
        await client.close()
      }
      expect(await end(3)).toMatchObject({ outcome: 'refused', status: 413, attempts: [] })
      expect(upstream.requests).toHaveLength(0)
    })

    it('in chunks is a 413 after one read beyond the limit, and it stops reading', async () => {
      const { site, upstream, end } = await small()
      const client = await connected(site, headOf(site, chunked))
      const piece = Buffer.from(`4000\r\n${' '.repeat(0x4000)}\r\n`)
      const flood = (async () => {
        while (client.ended === undefined) await client.send(piece)
      })().catch(() => {})
      const answer = await client.response()
      if (answer === undefined) throw new Error('no answer')
      expectRefusal({ ...answer, received: client.received }, 413, { code: null })
      const read = Number(/\((\d+) bytes read\)/.exec(answer.body)?.[1])
      expect(read).toBeGreaterThan(maxBytes)
      expect(read).toBeLessThanOrEqual(maxBytes + oneRead)
      expect(await end()).toMatchObject({ outcome: 'refused', status: 413, attempts: [] })
      // What comes after the answer is thrown away for a while, so that the client can read it; then it ends.
      await client.waitForEnd(8_000)
      await client.close()
      await flood
      expect(upstream.requests).toHaveLength(0)
    })

    it('is read up to the limit and not a byte less', async () => {
      const { site, upstream } = await small()
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] })
      const full = body.padEnd(maxBytes)
      const exact = await connected(site, wholeRequest(site, full))
      expect((await exact.response())?.status).toBe(200)
      const inChunks = `${maxBytes.toString(16)}\r\n${full}\r\n0\r\n\r\n`
      const alike = await connected(site, headOf(site, chunked) + inChunks)
      expect((await alike.response())?.status).toBe(200)
      const over = await connected(site, wholeRequest(site, `${full} `))
      expect((await over.response())?.status).toBe(413)
      const overInChunks = await connected(site, `${headOf(site, chunked)}1\r\n \r\n${inChunks}`)
      expect((await overInChunks.response())?.status).toBe(413)
      expect(upstream.requests).toHaveLength(2)
    })

    it('that is longer than it says is cut there, and its rest is no request', async () => {
      const { site, upstream, end } = await small()
      const client = await connected(site, `${headOf(site, 'Content-Length: 10')}{"model":"m","messages":[]}`)
      expect((await client.response())?.status).toBe(400)
      await client.waitForEnd()
      expect(await end()).toMatchObject({ attempts: [] })
      expect(upstream.requests).toHaveLength(0)
      expect(answersOn(client)).toBeLessThanOrEqual(2)
    })

    it('that is shorter than it says is never taken for whole', async () => {
      const { site, upstream, end } = await small()
      const body = '{"model":"m","messages":[{"role":"user","content":"x"}]}'
      const client = await connected(site, headOf(site, `Content-Length: ${body.length + 1}`) + body)
      client.halfClose()
      await client.waitForEnd()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', attempts: [] })
      const chunks = await connected(
        site,
        `${headOf(site, chunked)}${body.length.toString(16)}\r\n${body}\r\n`,
      )
      chunks.halfClose()
      await chunks.waitForEnd()
      expect(await end(2)).toMatchObject({ outcome: 'client_disconnected', attempts: [] })
      expect(upstream.requests).toHaveLength(0)
    })
  })
})

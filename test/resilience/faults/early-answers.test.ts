import { chunks, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { answersOn, bareHeadOf, connected, headOf, wholeRequest } from './harness/connected.ts'
import { overHosts } from './harness/served.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const badKey = ['Host: a', 'Authorization: Bearer bad-key', 'Content-Type: application/json']
const maxBytes = 100_000

async function service(mount: Mount) {
  const upstream = await upstreamDuring()
  return {
    upstream,
    ...(await startService(mount, { models: { m: upstream }, requestLimits: { maxBytes } })),
  }
}

describe('F37 an answer before the body was read, and requests behind it on the connection', () => {
  overHosts(mount => {
    it('takes a small body for a body, whatever stands in it, and keeps the connection', async () => {
      const { site, upstream } = await service(mount)
      const smuggled = wholeRequest(site)
      const client = await connected(site, bareHeadOf(site, ...badKey, `Content-Length: ${smuggled.length}`))
      const refused = await client.response()
      expect(refused?.status).toBe(401)
      expect(refused?.headers.connection).not.toBe('close')
      await client.send(smuggled)
      await client.send(wholeRequest(site))
      expect((await client.response())?.status).toBe(200)
      expect([answersOn(client), upstream.requests.length]).toEqual([2, 1])
    })

    it.each([
      ['401, a large body', 401, [...badKey, 'Content-Length: 90000'], 90_000],
      ['401, a body in chunks', 401, [...badKey, 'Transfer-Encoding: chunked'], undefined],
      ['413, a body with its length', 413, ['Content-Length: 200000'], 200_000],
      ['413, a body in chunks', 413, ['Transfer-Encoding: chunked'], undefined],
      ['400, an encoded body', 400, ['Content-Encoding: gzip', 'Content-Length: 90000'], 90_000],
    ])('closes the connection and acts on nothing behind: %s', async (_, status, lines, length) => {
      const { site, upstream, events, end } = await service(mount)
      const head = status === 401 ? bareHeadOf(site, ...lines) : headOf(site, ...lines)
      const client = await connected(site, head)
      const large = ' '.repeat(maxBytes + 1)
      if (length === undefined && status === 413) {
        await client.send(`${large.length.toString(16)}\r\n${large}\r\n`)
      }
      const refused = await client.response()
      expect([refused?.status, refused?.headers.connection]).toEqual([status, 'close'])
      expect(refused?.complete).toBe(true)
      // The rest of the body, whole, and behind it, in the same write, a request that is in order.
      const rest = length === undefined ? '0\r\n\r\n' : ' '.repeat(length)
      await client.send(rest + wholeRequest(site))
      await client.waitForEnd()
      expect((await end()).status).toBe(status)
      // Whatever the server would make of what stood behind, it has made before this one is answered.
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      const ends = events.filter(({ type }) => type === 'end')
      expect([answersOn(client), upstream.requests.length, ends.length]).toEqual([1, 1, 2])
    })

    it('answers pipelined requests in their order, each its own', async () => {
      const { site, upstream } = await service(mount)
      const refused = `${bareHeadOf(site, ...badKey, 'Content-Length: 2')}{}`
      const models = `GET ${site.pathOf('/models')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good-key\r\n\r\n`
      const other = `${headOf(site, 'Content-Length: 2')}{}`
      const text = refused + wholeRequest(site) + other + models + wholeRequest(site) + refused
      const client = await connected(site, text)
      const statuses: (number | undefined)[] = []
      for (let i = 0; i < 6; i++) statuses.push((await client.response())?.status)
      expect(statuses).toEqual([401, 200, 400, 200, 200, 401])
      const ids = Buffer.from(client.received)
        .toString()
        .match(/req_[0-9a-f]{32}/g)
      expect(new Set(ids).size).toBe(6)
      expect(upstream.requests).toHaveLength(2)
    })

    it('gives up what waits behind a stream when its client leaves', async () => {
      const { site, upstream, end } = await service(mount)
      const begun = [steps.stream(sse(chunks({ text: 'one two' })).slice(0, 2)), steps.hang()]
      upstream.respondWith(begun)
      const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] })
      const count = 13
      const client = await connected(site, wholeRequest(site, body).repeat(count))
      await upstream.waitForRequest(count)
      await client.waitFor('one')
      client.reset()
      await upstream.waitForIdle()
      for (let n = 1; n <= count; n++) expect((await end(n)).outcome).toBe('client_disconnected')
    })
  })
})

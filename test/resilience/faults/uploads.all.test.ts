import { apiKeys, concurrent, type GatewayOptions, inFlightCap, limits } from '@sluice/core'
import { connectRawClient, type RawClient } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Site } from '../../e2e/conformance/site.ts'
import { type Mount, mounts } from '../../e2e/mounts/mounts.ts'
import { startChild } from './harness/child-service.ts'
import { answersOn, bareHeadOf, connected, headOf, wholeRequest } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overHosts, served } from './harness/served.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const mebibyte = 1_048_576
const inChunks = 'Transfer-Encoding: chunked'
const callers = apiKeys([
  { id: 'ann', key: 'good-key' },
  { id: 'bob', key: 'bobs-key' },
])

/** The head of a request of one of many callers. */
function headFrom(site: Site, key: string, ...lines: string[]): string {
  return bareHeadOf(
    site,
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...lines,
  )
}

/** So much of a body, as it stands on the wire. */
function partOf(bytes: number, line: string): string {
  const text = ' '.repeat(bytes)
  return line === inChunks ? `${bytes.toString(16)}\r\n${text}\r\n` : text
}

async function service(mount: Mount, options: Partial<GatewayOptions>) {
  const upstream = await upstreamDuring()
  const { limits: limit = [], ...more } = options
  const rules = limits(limit as Parameters<typeof limits>[0])
  const parts = { models: { m: upstream }, authenticate: callers, limits: rules, ...more }
  return { upstream, ...(await startService(mount, parts)) }
}

/** Opens so many requests whose bodies begin and do not go on. */
async function beginBodies(site: Site, count: number, line: string): Promise<RawClient[]> {
  const begun = headOf(site, line) + (line === inChunks ? '1\r\n{\r\n' : '{')
  const clients: RawClient[] = []
  for (let nth = 0; nth < count; nth++) clients.push(await connected(site, begun))
  return clients
}

const answered = (clients: readonly RawClient[]) => clients.filter(client => answersOn(client) > 0)

describe('a caller who begins bodies and does not end them', () => {
  it.each([
    ['in chunks', inChunks, 500, 500],
    ['of a small length', 'Content-Length: 1000', 120, 100],
    ['of a large length', 'Content-Length: 900000', 120, 100],
  ])('has four, and nobody else is refused for them: %s', async (_, line, count, cap) => {
    const { site, ends } = await service(served, {
      limits: [concurrent(1)],
      loadShedder: inFlightCap(cap),
      requestLimits: { minRateGraceMs: 20_000 },
    })
    const bobs: number[] = []
    let over = false
    const asking = (async () => {
      while (!over) bobs.push((await site.chat({ model: 'm' }, { key: 'bobs-key' })).status)
    })()
    const clients = await beginBodies(site, count, line)
    await vi.waitFor(() => expect(answered(clients).length).toBe(count - 4), 20_000)
    // What has come whole is no upload.
    expect((await site.chat({ model: 'm' })).status).toBe(200)
    over = true
    await asking
    expect(bobs.length).toBeGreaterThan(0)
    expect(new Set(bobs)).toEqual(new Set([200]))
    expect(answered(clients)).toHaveLength(count - 4)
    for (const client of answered(clients)) {
      const answer = (await client.response())!
      expectRefusal({ ...answer, received: client.received }, 429, {
        type: 'requests',
        code: 'too_many_uploads',
      })
      expect(Number(answer.headers['retry-after-ms'])).toBeGreaterThanOrEqual(1_000)
    }
    const refusals = ends.filter(({ status }) => status === 429)
    expect(refusals).toHaveLength(count - 4)
    expect(new Set(refusals.map(({ principal, attempts }) => `${principal?.id} ${attempts.length}`))).toEqual(
      new Set(['ann 0']),
    )
  })

  overHosts(mount => {
    it.each([
      ['in chunks', inChunks],
      ['with their length', 'Content-Length: 200000'],
    ])('has room again for each that ends, however it ends, %s', async (_, line) => {
      const { site, end } = await service(mount, {
        requestLimits: { uploadGraceMs: 100, minRateGraceMs: 20_000 },
      })
      const [leaving, ending, ...others] = await beginBodies(site, 4, line)
      // Of those that begin together any may be the first.
      const refusedOf = async (clients: readonly RawClient[]) => {
        await vi.waitFor(() => expect(answered(clients)).toHaveLength(1), 10_000)
        const [refused] = answered(clients)
        expect((await refused!.response())?.status).toBe(429)
        return refused
      }
      const five = [leaving!, ending!, ...others, ...(await beginBodies(site, 1, line))]
      const refused = await refusedOf(five)
      const [first, second, ...waiting] = five.filter(client => client !== refused)
      first!.reset()
      expect(await ended('client_disconnected', end)).toMatchObject({ outcome: 'client_disconnected' })
      const after = await beginBodies(site, 2, line)
      const refusedAfter = await refusedOf(after)
      await second!.send(line === inChunks ? '1\r\n}\r\n0\r\n\r\n' : `}${' '.repeat(199_998)}`)
      expect((await second!.response())?.status).toBe(400)
      const last = await beginBodies(site, 2, line)
      const refusedLast = await refusedOf(last)
      const open = [...waiting, ...after, ...last].filter(
        client => client !== refusedAfter && client !== refusedLast,
      )
      expect(open.map(answersOn)).toEqual([0, 0, 0, 0])
    })

    it('gets his answer though he goes on writing, and his connection closes', async () => {
      const { site } = await service(mount, {
        requestLimits: { maxUploadBytes: 10_000_000, maxTotalUploadBytes: 15_000_000, maxBytes: 9_000_000 },
      })
      const large = 8_000_000
      const heads = [
        ['good-key', undefined],
        ['good-key', 429],
        ['bobs-key', 503],
      ] as const
      for (const [key, status] of heads) {
        const client = await connectRawClient({ port: site.port, paused: true })
        onTestFinished(() => client.close())
        await client.send(headFrom(site, key, `Content-Length: ${large}`))
        if (status === undefined) continue
        await client.send(Buffer.alloc(large, 32))
        client.resume()
        const answer = await client.response()
        expect([answer?.status, answer?.complete]).toEqual([status, true])
        expect(answer?.headers).toMatchObject({ connection: 'close', 'retry-after': expect.any(String) })
        expect(await client.waitForEnd()).toBe('end')
      }
    })

    it('is a 408 where nothing comes any more, and is waited for where it keeps to the rate', async () => {
      const requestLimits = { minRateGraceMs: 500, minBytesPerSecond: 10 }
      const { site } = await service(mount, { requestLimits })
      const [silent] = await beginBodies(site, 1, inChunks)
      const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(200) }] })
      const slow = await connected(site, headOf(site, `Content-Length: ${text.length}`))
      const sending = slow.send(text, { split: { seed: 1, max: 80 }, delay: 200 })
      const answer = (await silent!.response())!
      expectRefusal({ ...answer, received: silent!.received }, 408, { code: 'request_timeout' })
      expect(answer.headers.connection).toBe('close')
      expect(answer.body).toContain('expected at least 10 bytes per second after the first 500 ms')
      await sending
      expect((await slow.response())?.status).toBe(200)
    })

    it('takes any number of bodies that come at once, and keeps their connections', async () => {
      const { site } = await service(mount, { requestLimits: { maxUploads: 1, uploadGraceMs: 1 } })
      await beginBodies(site, 1, inChunks)
      const clients = await Promise.all(Array.from({ length: 20 }, () => connected(site)))
      for (const round of [1, 2]) {
        await Promise.all(clients.map(client => client.send(wholeRequest(site))))
        const answers = await Promise.all(clients.map(client => client.response()))
        expect(answers.map(answer => answer?.status)).toEqual(clients.map(() => 200))
        expect(clients.map(answersOn)).toEqual(clients.map(() => round))
      }
    })
  })
})

describe('a stranger who begins a body', () => {
  describe.each(['serve', 'express 5', 'koa 3'])('%s', name => {
    it('is refused at once, counts for nothing, and is waited for no longer than five seconds', async () => {
      const { site } = await service(mounts[name] ?? served, {
        requestLimits: { maxUploads: 1, uploadGraceMs: 1 },
      })
      const start = performance.now()
      const strangers: RawClient[] = []
      for (const line of [inChunks, 'Content-Length: 1000', 'Content-Length: 900000']) {
        for (let nth = 0; nth < 5; nth++) {
          const client = await connected(site, headFrom(site, 'no-key', line))
          expect((await client.response())?.status).toBe(401)
          // One who goes on is never idle.
          void client.send('1\r\n \r\n'.repeat(100), { split: 'bytes', delay: 200 }).catch(() => {})
          strangers.push(client)
        }
      }
      for (const client of strangers) await client.waitForEnd(9_000)
      expect(performance.now() - start).toBeLessThan(9_000)
      expect((await site.chat({ model: 'm' })).status).toBe(200)
    })
  })
})

describe('bodies that are not ended, and memory', () => {
  const size = 24 * mebibyte
  const length = `Content-Length: ${size}`

  it.each([
    ['one caller', length, 1, {}, 64],
    ['one caller', inChunks, 1, {}, 64],
    ['many callers', length, 30, { maxTotalUploadBytes: 160 * mebibyte }, 160],
    ['many callers', inChunks, 30, { maxTotalUploadBytes: 160 * mebibyte }, 160],
  ])('of %s take no more than may be received: %s', async (_, line, people, requestLimits, most) => {
    const names = Array.from({ length: people }, (_, nth) => `c${nth}`)
    const { site, rss } = await startChild({
      mount: 'serve',
      routes: { m: ['http://127.0.0.1:9/v1'] },
      callers: names,
      // All of them are bodies that may be sent; no clock ends one.
      requestLimits: { maxUploads: 60, minRateGraceMs: 60_000, deadlineMs: 60_000, ...requestLimits },
    })
    // What the first requests need is no body's.
    expect((await site.chat({ model: 'm' })).status).toBeGreaterThan(400)
    const before = await rss()
    const piece = Buffer.from(partOf(mebibyte, line))
    const clients: RawClient[] = []
    const sending: Promise<void>[] = []
    for (let nth = 0; nth < 60; nth++) {
      const client = await connected(site, headFrom(site, `key-of-${names[nth % people]}`, line))
      clients.push(client)
      sending.push(
        (async () => {
          // All but the last byte.
          for (let sent = 0; sent < 23 && answersOn(client) === 0; sent++) await client.send(piece)
        })().catch(() => {}),
      )
    }
    let peak = 0
    const watching = setInterval(() => {
      void rss().then(now => {
        peak = Math.max(peak, now)
      })
    }, 50)
    onTestFinished(() => clearInterval(watching))
    await Promise.all(sending)
    const statuses = new Set(
      await Promise.all(answered(clients).map(async client => (await client.response())?.status)),
    )
    // What was let in arrives whole: `most` holds two of them, or as many as fit.
    const fit = Math.floor((most * mebibyte) / size)
    await vi.waitFor(
      () => expect(peak - before).toBeGreaterThan((line === length ? 0.8 : 0.4) * fit * size),
      10_000,
    )
    const taken = clients.length - answered(clients).length
    if (line === length) expect(taken).toBe(fit)
    else expect(taken).toBeLessThanOrEqual(fit + 1)
    expect(statuses).toEqual(new Set([people === 1 ? 429 : 503]))
    // What the engine has not collected yet comes on top.
    expect((peak - before) / mebibyte).toBeLessThan(most + 128)
    // A body that comes at once is taken all the same.
    expect((await site.chat({ model: 'none' })).status).toBe(404)
  })
})

/** The first record of this outcome. */
async function ended(outcome: string, end: (n?: number) => Promise<{ readonly outcome: string }>) {
  for (let n = 1; ; n++) {
    const record = await end(n)
    if (record.outcome === outcome) return record
  }
}

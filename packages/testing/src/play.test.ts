import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { chunks, completion, sse } from './bodies.ts'
import { findClosedPort } from './closed-port.ts'
import { connectRawClient } from './raw-client.ts'
import { sendRawRequest } from './raw-request.ts'
import { requestBytes } from './request-text.ts'
import type { Script } from './script.ts'
import { readSse } from './sse-reader.ts'
import {
  body,
  cut,
  drip,
  early,
  end,
  flood,
  garbage,
  hang,
  head,
  raw,
  redirect,
  reply,
  reset,
  stream,
  unsolicited,
  wait,
} from './steps.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const opened: Upstream[] = []

async function upstream(...scripts: Script[]): Promise<Upstream> {
  const started = await startUpstream(...scripts)
  opened.push(started)
  return started
}

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const events = sse(chunks({ text: 'one two' }))
const post = (url: string, value: object, init: RequestInit = {}) =>
  fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(value), ...init })

describe('answers', () => {
  test('reply: status, headers, a default replaced, one left out', async () => {
    const up = await upstream(
      reply('<p>', {
        status: 503,
        headers: { 'Content-Type': 'text/html', 'x-a': ['1', '2'], 'content-length': null },
      }),
    )
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({}))
    await client.waitFor('<p>')
    const text = Buffer.from(client.received).toString()
    expect(text).toBe(
      'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\nx-a: 1\r\nx-a: 2\r\n\r\n<p>',
    )
    await client.close()
  })

  test('HEAD gets the head alone', async () => {
    const up = await upstream(reply({ a: 1 }), stream(events))
    const client = await connectRawClient({ port: up.port })
    for (const header of ['content-length', 'transfer-encoding']) {
      await client.send(requestBytes({ method: 'HEAD' }))
      const response = await client.response('HEAD')
      expect(response?.headers).toHaveProperty(header)
      expect(response?.body).toBe('')
    }
    expect(Buffer.from(client.received).toString().endsWith('\r\n\r\n')).toBe(true)
    await client.close()
  })

  test('stream: one chunk an event, well ended, the connection kept', async () => {
    const up = await upstream(stream(events))
    const response = await sendRawRequest({ port: up.port })
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'transfer-encoding': 'chunked',
    })
    expect(response.chunkSizes).toEqual(events.map(event => event.length))
    expect(response.body).toBe(events.join(''))
    expect(response.complete).toBe(true)
  })

  test('stream with delay: its time between two events', async () => {
    const up = await upstream(stream(events, { delay: 30 }))
    const started = performance.now()
    const read = await readSse(await post(up.url, {}))
    expect(read.done).toBe(true)
    expect(performance.now() - started).toBeGreaterThan(28 * (events.length - 1))
  })

  test.each([
    ['bytes', 'bytes'],
    ['a seed', { seed: 3, max: 20 }],
  ] as const)('split by %s: the same body in other pieces, across events', async (_, split) => {
    const up = await upstream(stream(events, { split }), reply(completion(), { split }))
    const streamed = await sendRawRequest({ port: up.port })
    expect(streamed.body).toBe(events.join(''))
    if (split === 'bytes') expect(new Set(streamed.chunkSizes)).toEqual(new Set([1]))
    else expect(new Set(streamed.chunkSizes).size).toBeGreaterThan(5)
    expect((await sendRawRequest({ port: up.port })).json).toEqual(completion())
  })

  test('split by bytes arrives as single bytes at the peer', async () => {
    const up = await upstream(raw('HTTP/1.1 200 OK\r\n\r\n0123456789', { split: 'bytes' }))
    const sizes: number[] = []
    await new Promise<void>((resolve, reject) => {
      const socket = connect(up.port, '127.0.0.1', () => void socket.write(requestBytes({})))
      socket
        .on('data', chunk => sizes.push(chunk.length))
        .once('end', resolve)
        .once('error', reject)
    })
    expect(sizes.reduce((sum, size) => sum + size)).toBe(29)
    expect(sizes.filter(size => size === 1).length).toBeGreaterThan(20)
  })

  test('stream whole: all events in one chunk', async () => {
    const up = await upstream(stream(events, { split: 'whole' }))
    expect((await sendRawRequest({ port: up.port })).chunkSizes).toEqual([events.join('').length])
  })

  test('drip: one byte at a time with its delay', async () => {
    const up = await upstream([head({ framing: 10 }), drip('0123456789', 10)])
    const started = performance.now()
    expect((await sendRawRequest({ port: up.port })).body).toBe('0123456789')
    expect(performance.now() - started).toBeGreaterThan(85)
  })

  test('head and body: each framing', async () => {
    const up = await upstream(
      [head({ status: 201, headers: { 'content-type': 'text/plain' } }), body('ab'), wait(1), body('c')],
      [head({ framing: 3 }), body('ab'), body('c')],
      [head({ framing: 'until-close' }), body('abc')],
      body('abc'),
    )
    const chunked = await sendRawRequest({ port: up.port })
    expect(chunked).toMatchObject({ status: 201, body: 'abc', chunkSizes: [2, 1] })
    expect(chunked.headers['content-type']).toBe('text/plain')
    expect(await sendRawRequest({ port: up.port })).toMatchObject({
      body: 'abc',
      complete: true,
      chunkSizes: [],
    })
    const last = await sendRawRequest({ port: up.port })
    expect(last).toMatchObject({ body: 'abc', complete: true })
    expect(last.headers).not.toHaveProperty('content-length')
    expect(last.headers).not.toHaveProperty('transfer-encoding')
    expect(await sendRawRequest({ port: up.port })).toMatchObject({ body: 'abc', chunkSizes: [3] })
  })

  test('redirect', async () => {
    const target = await upstream()
    const up = await upstream(redirect(`${target.url}/there`))
    const refused = await post(up.url, {}, { redirect: 'manual' })
    expect([refused.status, refused.headers.get('location')]).toEqual([307, `${target.url}/there`])
    expect(target.requests).toHaveLength(0)
    await post(up.url, { a: 1 })
    expect(target.requests[0]).toMatchObject({ method: 'POST', path: '/there', json: { a: 1 } })
  })
})

describe('faults', () => {
  test.each([
    ['before the head', hang(), ''],
    ['after the head', [head(), hang()], 'HTTP/1.1 200 OK'],
    ['within the body', [stream(events.slice(0, 1)), hang()], events[0]!],
  ] as const)('hang %s, until the peer leaves', async (_, script, sent) => {
    const up = await upstream(script)
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({ body: {} }))
    await up.waitForRequest()
    await client.waitFor(sent)
    await expect(client.waitForEnd(50)).rejects.toThrow('did not end')
    const closed = up.waitForClose()
    await client.close()
    expect(await closed).toBeLessThan(1000)
    await up.waitForIdle()
  })

  test.each([
    ['mid-chunk', cut({ partial: 'data: {"x' }), 'data: {"x'],
    ['mid-chunk, nothing of it', cut(), ''],
    ['between chunks', cut({ at: 'between-chunks' }), ''],
    ['between chunks, after one more', cut({ at: 'between-chunks', partial: 'more' }), 'more'],
  ] as const)('cut %s: FIN, the body not complete', async (_, step, extra) => {
    const up = await upstream([stream(events.slice(0, 2)), step])
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({ body: {} }))
    const response = await client.response()
    expect(response).toMatchObject({ complete: false, body: events.slice(0, 2).join('') + extra })
    expect(client.ended).toBe('end')
    await client.close()
    await expect(post(up.url, {}).then(answered => answered.text())).rejects.toThrow('terminated')
  })

  test('cut before the head and within a body of known length', async () => {
    const up = await upstream(cut(), [reply('abc', { contentLength: 9 }), cut()])
    await expect(sendRawRequest({ port: up.port })).rejects.toThrow(
      'the connection ended (end) before a head',
    )
    expect(await sendRawRequest({ port: up.port })).toMatchObject({ body: 'abc', complete: false })
  })

  test('reset before the head and after the peer has got what was written', async () => {
    const up = await upstream(reset(), [stream(events.slice(0, 2)), reset()])
    await expect(sendRawRequest({ port: up.port })).rejects.toThrow('the connection ended (reset)')
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({}))
    expect(await client.response()).toMatchObject({ complete: false, status: 200 })
    expect(client.ended).toBe('reset')
    await client.close()
  })

  test('garbage is the same for the same seed, and no HTTP', async () => {
    expect(garbage(64, 1)).toEqual(garbage(64, 1))
    expect(garbage(64, 1)).not.toEqual(garbage(64, 2))
    const up = await upstream(garbage())
    await expect(post(up.url, {})).rejects.toThrow('fetch failed')
  })

  test('a wrong content-length: too long waits, too short leaves bytes behind', async () => {
    const up = await upstream(
      [reply('abc', { contentLength: 5 }), hang()],
      reply('abc', { contentLength: 1 }),
    )
    await expect(sendRawRequest({ port: up.port, timeout: 100 })).rejects.toThrow(
      'no whole answer within 100 ms',
    )
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({}))
    expect(await client.response()).toMatchObject({ body: 'a', complete: true })
    await client.send(requestBytes({}))
    await expect(client.response()).rejects.toThrow('status line: got "bcHTTP/1.1')
    await client.close()
  })

  test('flood writes as much as asked', async () => {
    const up = await upstream(flood({ bytes: 300_001, unit: '0123456789' }))
    const response = await sendRawRequest({ port: up.port })
    expect(response.bytes).toHaveLength(300_001)
    expect(response.body.startsWith('01234567890')).toBe(true)
    expect(up.bytesWritten).toBe(response.received.length)
  })

  test('an endless flood of events stands still while the peer does not read, and ends with it', async () => {
    const up = await upstream(flood())
    const client = await connectRawClient({ port: up.port, paused: true })
    await client.send(requestBytes({ body: {} }))
    await up.waitForRequest()
    const settled = await still(() => up.bytesWritten)
    expect(settled).toBeGreaterThan(10_000)
    expect(client.received).toHaveLength(0)
    client.resume()
    await client.waitFor(settled + 1_000_000)
    client.pause()
    expect(await still(() => up.bytesWritten)).toBeGreaterThan(settled)
    const closed = up.waitForClose()
    client.reset()
    await closed
    await client.close()
    await up.waitForIdle()
  })

  test('a flood of events is a readable stream', async () => {
    const up = await upstream(flood({ bytes: 1_000_000 }))
    const read = await readSse(await post(up.url, {}), { allow: ['cut'] })
    expect(read.chunks.length).toBeGreaterThan(500)
    expect(read.failure).toBeUndefined()
  })

  test('early: answers before the body, reads the rest and closes', async () => {
    const up = await upstream(early(reply({ error: 'busy' }, { status: 503 })))
    const client = await connectRawClient({ port: up.port })
    await client.send('POST / HTTP/1.1\r\ncontent-length: 1000000\r\n\r\nabc')
    const response = await client.response()
    expect(response).toMatchObject({ status: 503, json: { error: 'busy' }, complete: true })
    expect(response?.headers.connection).toBe('close')
    expect(await client.waitForEnd()).toBe('end')
    await client.send(Buffer.alloc(200_000))
    expect(up.requests[0]).toMatchObject({ method: 'POST', body: '', json: undefined })
    await client.close()
  })

  test('early, the body left unread: the connection closes', async () => {
    const up = await upstream(early(reply({}, { status: 413 }), 'leave'))
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({ body: Buffer.alloc(8_000_000) })).catch(() => {})
    await client.response()
    expect(await client.waitForEnd().catch(() => client.ended)).toMatch(/reset|end/)
    await client.close()
    await up.waitForIdle()
  })

  test('early with a function', async () => {
    const up = await upstream(early(({ method }) => reply({ method })))
    expect((await sendRawRequest({ port: up.port, body: { a: 1 } })).json).toEqual({ method: 'POST' })
  })

  test('unsolicited: a second answer on the idle connection', async () => {
    const up = await upstream(unsolicited(reply({ n: 1 }), reply({ n: 2 })))
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({}))
    expect((await client.response())?.json).toEqual({ n: 1 })
    expect((await client.response())?.json).toEqual({ n: 2 })
    expect(client.ended).toBeUndefined()
    expect(up.requests).toHaveLength(1)
    await client.close()
  })

  test('raw bytes are the whole answer and end their connection; after an answer they do not', async () => {
    const up = await upstream(raw('HTTP/1.1 200 OK\r\n\r\nhi'), [reply({}), end(), raw('late')])
    expect(await sendRawRequest({ port: up.port })).toMatchObject({ body: 'hi', complete: true })
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({}))
    await client.waitFor('late')
    expect(client.ended).toBeUndefined()
    await client.close()
  })

  test('nobody listens on a refused port', async () => {
    await expect(connectRawClient({ port: await findClosedPort() })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
  })
})

/** The value, once it has not changed for 100 ms. */
async function still(value: () => number): Promise<number> {
  for (let last = -1, since = performance.now(); ; ) {
    if (value() !== last) {
      last = value()
      since = performance.now()
    } else if (performance.now() - since > 100) return last
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

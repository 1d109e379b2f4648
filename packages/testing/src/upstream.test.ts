import { Agent, get } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { chunks, completion, sse, usage } from './bodies.ts'
import { connectRawClient } from './raw-client.ts'
import { sendRawRequest } from './raw-request.ts'
import { requestBytes } from './request-text.ts'
import type { Script } from './script.ts'
import { readSse } from './sse-reader.ts'
import { answer, cut, flood, hang, head, reply, stream, wait } from './steps.ts'
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

describe('requests', () => {
  test('are recorded with target, raw and lower-cased headers, text and JSON', async () => {
    const up = await upstream()
    await sendRawRequest({
      port: up.port,
      path: '/p?a=%20b',
      headers: { 'X-Twice': ['1', '2'] },
      body: { model: 'zwölf' },
    })
    expect(up.requests[0]).toMatchObject({
      index: 0,
      connection: 0,
      method: 'POST',
      path: '/p?a=%20b',
      headers: { 'x-twice': '1, 2', host: '127.0.0.1', 'content-length': '18' },
      body: '{"model":"zwölf"}',
      json: { model: 'zwölf' },
    })
    expect(up.requests[0]?.rawHeaders.slice(-2)).toEqual([
      ['X-Twice', '1'],
      ['X-Twice', '2'],
    ])
    expect(up.requests[0]?.bytes).toHaveLength(18)
  })

  test('whose body never comes whole are not recorded', async () => {
    const up = await upstream()
    const client = await connectRawClient({ port: up.port })
    await client.send('POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nabc')
    client.halfClose()
    expect(await client.response()).toBeUndefined()
    await client.close()
    await up.waitForIdle()
    expect(up.requests).toEqual([])
  })

  test('that are chunked, or come byte by byte, are read whole', async () => {
    const up = await upstream()
    const text =
      'POST /v1/x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\n\r\n'
    const answered = await sendRawRequest({ port: up.port, text, split: 'bytes' })
    expect(answered.status).toBe(200)
    expect(up.requests[0]).toMatchObject({ body: '{"a":1}', json: { a: 1 } })
  })

  test('without a JSON object have no json', async () => {
    const up = await upstream()
    await sendRawRequest({ port: up.port, body: 'text' })
    await sendRawRequest({ port: up.port, body: '[1]' })
    await sendRawRequest({ port: up.port })
    expect(up.requests.map(one => [one.method, one.json])).toEqual([
      ['POST', undefined],
      ['POST', undefined],
      ['GET', undefined],
    ])
  })

  test('one after the other on one connection, also pipelined', async () => {
    const up = await upstream(({ path }) => reply({ path }))
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({ path: '/1', body: 'x' }))
    expect((await client.response())?.json).toEqual({ path: '/1' })
    await client.send(Buffer.concat(['/2', '/3'].map(path => requestBytes({ path, body: 'y' }))))
    const answers = await Promise.all([client.response(), client.response()])
    expect(answers.map(one => one?.json)).toEqual([{ path: '/2' }, { path: '/3' }])
    expect(up.connections).toEqual({ open: 1, total: 1 })
    await client.close()
    await up.waitForIdle()
    expect(up.connections).toEqual({ open: 0, total: 1 })
  })

  test('a keep-alive agent of node:http keeps its connection over plain and streamed answers', async () => {
    const up = await upstream(reply(completion()), stream(events), reply(completion()))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; turn < 3; turn++) {
      await new Promise<void>((resolve, reject) => {
        get(up.baseURL, { agent }, response => response.resume().on('end', resolve)).on('error', reject)
      })
    }
    agent.destroy()
    expect(up.requests).toHaveLength(3)
    expect(up.connections.total).toBe(1)
  })

  test('connection: close is obeyed', async () => {
    const up = await upstream()
    const client = await connectRawClient({ port: up.port })
    await client.send(requestBytes({ headers: { connection: 'close' } }))
    const response = await client.response()
    expect(response?.headers.connection).toBe('close')
    expect(await client.waitForEnd()).toBe('end')
    await client.close()
  })

  test('that are no HTTP make close() throw', async () => {
    const up = await startUpstream()
    const client = await connectRawClient({ port: up.port })
    await client.send('HELO example\r\n\r\n')
    expect(await client.waitForEnd()).toBe('reset')
    await client.close()
    await expect(up.close()).rejects.toThrow('request line: got "HELO example"')
  })
})

describe('scripts', () => {
  test('without one, the answer is what the request asks', async () => {
    const up = await upstream()
    expect(await (await post(up.url, { model: 'm' })).json()).toEqual(completion())
    const plain = await readSse(await post(up.url, { stream: true }))
    expect(plain).toMatchObject({ done: true, text: 'Hello' })
    expect(plain.chunks.some(chunk => 'usage' in chunk)).toBe(false)
    const counted = await readSse(
      await post(up.url, { stream: true, stream_options: { include_usage: true } }),
    )
    expect(counted.chunks.at(-1)?.usage).toEqual(usage(9, 12))
  })

  test('one each in order, the last for the rest; respondWith replaces them', async () => {
    const up = await upstream(
      reply({ n: 1 }),
      reply({ n: 2 }, { status: 429, headers: { 'retry-after': '3' } }),
    )
    const ask = async () => {
      const response = await post(up.url, {})
      return [response.status, await response.json()]
    }
    expect([await ask(), await ask(), await ask()]).toEqual([
      [200, { n: 1 }],
      [429, { n: 2 }],
      [429, { n: 2 }],
    ])
    up.respondWith(answer({ text: 'once' }), reply({ n: 3 }))
    expect((await ask())[1]).toEqual(completion({ text: 'once' }))
    expect([await ask(), await ask()]).toEqual([
      [200, { n: 3 }],
      [200, { n: 3 }],
    ])
  })

  test('a function gets the request and its index, and may be async', async () => {
    const up = await upstream(async ({ json }, index) => [wait(1), reply({ model: json?.model, index })])
    await post(up.url, { model: 'a' })
    expect(await (await post(up.url, { model: 'b' })).json()).toEqual({ model: 'b', index: 1 })
  })

  test('a function that throws resets the connection, and close() throws it', async () => {
    const up = await startUpstream(() => {
      throw new Error('a mistake')
    })
    await expect(post(up.url, {})).rejects.toThrow()
    await expect(up.close()).rejects.toThrow('a mistake')
  })

  test('a second head within an answer is a mistake, and so is a stream that has one', async () => {
    for (const [script, message] of [
      [[head(), reply({})], 'second head'],
      [[head(), stream(events, { status: 500 })], 'head was sent already'],
      [flood({ unit: '' }), 'empty unit'],
    ] as const) {
      const up = await startUpstream(script)
      await sendRawRequest({ port: up.port }).catch(() => {})
      await expect(up.close()).rejects.toThrow(message)
    }
  })
})

describe('waiting', () => {
  test('waitForRequest resolves with the nth request, or tells what is missing', async () => {
    const up = await upstream()
    const second = up.waitForRequest(2)
    await post(up.url, { n: 1 })
    expect((await up.waitForRequest()).json).toEqual({ n: 1 })
    await post(up.url, { n: 2 })
    expect((await second).json).toEqual({ n: 2 })
    await expect(up.waitForRequest(3, 20)).rejects.toThrow('got 2 requests, expected 3 within 20 ms')
  })

  test.each(['close', 'reset'] as const)(
    'waitForClose tells how long the peer took to leave by %s',
    async how => {
      const up = await upstream(hang())
      const client = await connectRawClient({ port: up.port })
      await client.send(requestBytes({ body: {} }))
      await up.waitForRequest()
      const closed = up.waitForClose()
      setTimeout(() => client[how](), 60)
      const ms = await closed
      expect(ms).toBeGreaterThan(50)
      expect(ms).toBeLessThan(1000)
      expect(await up.waitForClose(1)).toBe(0)
      await client.close()
    },
  )

  test('waitForClose sees an aborted fetch', async () => {
    const up = await upstream([stream(events.slice(0, 1)), hang()])
    const abort = new AbortController()
    const response = await post(up.url, {}, { signal: abort.signal })
    const closed = up.waitForClose()
    abort.abort()
    expect(await closed).toBeLessThan(1000)
    await response.text().catch(() => {})
  })

  test('waitForClose does not take the upstream’s own close for the peer’s', async () => {
    const up = await upstream(cut())
    await sendRawRequest({ port: up.port }).catch(() => {})
    await expect(up.waitForClose(1, 50)).rejects.toThrow(
      'the peer did not close the connection of request 1 within 50 ms',
    )
  })
})

test('close ends hanging and flooded connections, rejects who waits and leaves nothing open', async () => {
  const up = await startUpstream(hang(), flood(), [head(), wait(60_000)])
  const clients = await Promise.all([1, 2, 3].map(() => connectRawClient({ port: up.port, paused: true })))
  for (const [index, client] of clients.entries()) {
    await client.send(requestBytes({ body: {} }))
    await up.waitForRequest(index + 1)
  }
  const waiting = up.waitForRequest(9)
  const before = performance.now()
  await up.close()
  expect(performance.now() - before).toBeLessThan(1000)
  await expect(waiting).rejects.toThrow('before it was closed')
  expect(up.connections.open).toBe(0)
  for (const client of clients) await client.close()
  await expect(connectRawClient({ port: up.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await up.close()
})

import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Transport } from '../contracts/transport.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { beginOf } from './exchange.ts'
import { fetchTransport } from './fetch.ts'
import { defaultTransport } from './undici.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (url: string) => ({
  method: 'POST' as const,
  url,
  headers: { 'content-type': 'text/plain' },
  body: 'hi',
})

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString()
}

async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  )
}

const transports: [string, () => Transport][] = [
  [
    'undici',
    () => {
      const transport = defaultTransport({ connectMs: 500 })
      cleanups.push(() => void transport.close?.())
      return transport
    },
  ],
  ['fetch', () => fetchTransport()],
]

describe.each(transports)('the %s transport', (_, make) => {
  it('sends method, path, headers and body, and reads status, headers and body', async () => {
    const origin = await serving((request, response) => {
      response.writeHead(418, { 'x-one': 'a' })
      request.pipe(response)
    })
    const response = await make()(post(`${origin}/path?q=1`), new AbortController().signal)
    expect(response.status).toBe(418)
    expect(response.headers.get('X-One')).toBe('a')
    expect(response.headers.get('x-two')).toBeNull()
    expect(await textOf(response.body)).toBe('hi')
  })

  it('follows no redirect', async () => {
    let asked = 0
    const elsewhere = await serving((_request, response) => {
      asked++
      response.end()
    })
    const origin = await serving((_request, response) => {
      response.writeHead(307, { location: elsewhere }).end()
    })
    expect((await make()(post(origin), new AbortController().signal)).status).toBe(307)
    expect(asked).toBe(0)
  })

  it('says that an upstream cannot be reached', async () => {
    const error = await rejectionOf(make()(post('http://127.0.0.1:1/'), new AbortController().signal))
    expect(UpstreamError.is(error)).toBe(true)
    expect(error).toMatchObject({ kind: 'unreachable' })
  })

  it('rejects with the reason of the abort and closes the connection, before the head and in mid body', async () => {
    for (const phase of ['head', 'body']) {
      let closed: (() => void) | undefined
      const wasClosed = new Promise<void>(resolve => {
        closed = resolve
      })
      let arrived: (() => void) | undefined
      const hasArrived = new Promise<void>(resolve => {
        arrived = resolve
      })
      const origin = await serving((_request, response) => {
        response.on('close', () => closed?.())
        if (phase === 'body') response.write('first')
        arrived?.()
      })
      const controller = new AbortController()
      const reason = new Error('left')
      const asking = make()(post(origin), controller.signal).then(({ body }) => textOf(body))
      const failing = rejectionOf(asking)
      await hasArrived
      controller.abort(reason)
      expect(await failing, phase).toBe(reason)
      await wasClosed
    }
  })

  it('tells a body that breaks off from one that ends', async () => {
    const origin = await serving((_request, response) => {
      response.write('half', () => response.destroy())
    })
    const error = await rejectionOf(
      make()(post(origin), new AbortController().signal).then(({ body }) => textOf(body)),
    )
    expect(error).toMatchObject({ name: 'UpstreamError', kind: 'truncated' })
  })

  it('closes the connection when its reader leaves', async () => {
    let closed: (() => void) | undefined
    const wasClosed = new Promise<void>(resolve => {
      closed = resolve
    })
    const origin = await serving((_request, response) => {
      response.on('close', () => closed?.())
      response.write('first')
    })
    const response = await make()(post(origin), new AbortController().signal)
    for await (const _part of response.body) break
    await wasClosed
  })
})

describe('the undici transport', () => {
  it.each([
    ['text', 'déjà vu'],
    ['bytes', new TextEncoder().encode('déjà vu')],
    ['pieces', ['déjà', ' vu'].map(text => new TextEncoder().encode(text))],
  ])(
    'sends %s with their length, also for a stream, and with a length that is given once',
    async (_, body) => {
      const lengths: (string | undefined)[] = []
      const origin = await serving((request, response) => {
        lengths.push(request.headers['content-length'], request.headers['transfer-encoding'])
        request.pipe(response)
      })
      const transport = defaultTransport({ connectMs: 500 })
      cleanups.push(() => void transport.close?.())
      const begin = beginOf(transport)!
      for (const streamed of [false, true]) {
        for (const length of [{}, { 'Content-Length': '9' }]) {
          const headers = { 'content-type': 'text/plain', ...length }
          const response = await begin({ method: 'POST', url: origin, headers, body }, streamed).response
          expect(await textOf(response.body)).toBe('déjà vu')
        }
      }
      expect(lengths).toEqual(Array.from({ length: 4 }, () => ['9', undefined]).flat())
    },
  )

  it.each([
    ['http://127.0.0.1:1/', '', /^The upstream could not be reached \(ECONNREFUSED\)\.$/],
    ['', '', /^The upstream closed the connection before it responded \((?:UND_ERR_SOCKET|ECONNRESET)\)\.$/],
    ['', 'garbage\r\n\r\n', /^The upstream sent an invalid HTTP response( \(HPE_[A-Z_]+\))?\.$/],
  ])('says what went wrong, with its code: %j, answered by %j', async (refused, bytes, message) => {
    const server = createTcpServer(socket => socket.once('data', () => socket.end(bytes)))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => void server.close())
    const transport = defaultTransport({ connectMs: 500 })
    cleanups.push(() => void transport.close?.())
    const url = refused || `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const error = await rejectionOf(transport(post(url), new AbortController().signal))
    expect(error).toMatchObject({ kind: 'unreachable' })
    expect(error).toHaveProperty('message', expect.stringMatching(message))
  })

  it('gives up on a connection whose handshake does not end in time', async () => {
    const sockets: Socket[] = []
    const server = createTcpServer(socket => sockets.push(socket))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const transport = defaultTransport({ connectMs: 50 })
    cleanups.push(() => void transport.close?.())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const error = await rejectionOf(transport(post(url), new AbortController().signal))
    expect(error).toMatchObject({
      name: 'UpstreamError',
      kind: 'connect_timeout',
      message: expect.stringContaining('(timeouts.connectMs)'),
    })
  })
})

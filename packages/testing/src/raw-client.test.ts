import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { listen } from './listen.ts'
import { connectRawClient } from './raw-client.ts'
import { sendRawRequest } from './raw-request.ts'
import { requestBytes } from './request-text.ts'

const servers: (Server | TcpServer)[] = []

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(handler)
  servers.push(server)
  return listen(server)
}

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})

test('sends the parts of a request and parses the answer', async () => {
  const seen: unknown[] = []
  const port = await serve((request, response) => {
    seen.push(request.method, request.url, request.rawHeaders)
    response.writeHead(201, { 'X-A': ['1', '2'] })
    request.pipe(response)
  })
  const answer = await sendRawRequest({ port, path: '/v1/x', headers: { 'x-key': 'k' }, body: { a: 'é' } })
  expect(seen).toEqual([
    'POST',
    '/v1/x',
    ['host', '127.0.0.1', 'content-type', 'application/json', 'content-length', '10', 'x-key', 'k'],
  ])
  expect(answer).toMatchObject({
    status: 201,
    statusText: 'Created',
    json: { a: 'é' },
    complete: true,
    interim: [],
  })
  expect(answer.headers['x-a']).toBe('1, 2')
  expect(answer.rawHeaders.slice(0, 2)).toEqual([
    ['X-A', '1'],
    ['X-A', '2'],
  ])
  expect(answer.chunkSizes).toEqual([10])
  expect(Buffer.from(answer.received).toString()).toMatch(
    /^HTTP\/1\.1 201 Created\r\n.*\r\n\r\na\r\n.*0\r\n\r\n$/s,
  )
})

test('sends text as it stands and headers as they are given, repeated and wrong ones too', async () => {
  const port = await serve((request, response) => response.end(request.rawHeaders.join('|')))
  const twice = [
    ['Host', 'a'],
    ['authorization', 'one'],
    ['Authorization', 'two'],
  ] as const
  expect((await sendRawRequest({ port, headers: twice })).body).toBe(
    'Host|a|authorization|one|Authorization|two',
  )
  const bad = await sendRawRequest({ port, text: 'GET / HTTP/1.1\r\nhost: h\r\nno header\r\n\r\n' })
  expect(bad).toMatchObject({ status: 400, complete: true })
  expect(Buffer.from(requestBytes({ headers: { host: null } })).toString()).toBe(
    'GET /v1/chat/completions HTTP/1.1\r\n\r\n',
  )
})

test('pipelines: answers come in order', async () => {
  const port = await serve((request, response) => response.end(request.url))
  const client = await connectRawClient({ port })
  await client.send(Buffer.concat(['/1', '/2', '/3'].map(path => requestBytes({ path }))))
  const answers = await Promise.all([client.response(), client.response(), client.response()])
  expect(answers.map(answer => answer?.body)).toEqual(['/1', '/2', '/3'])
  await client.close()
})

test('reads interim responses, HEAD, 204 and 304 without a body', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/early') response.writeEarlyHints({ link: '</a>' })
    response.writeHead(request.url === '/204' ? 204 : request.url === '/304' ? 304 : 200)
    response.end(request.method === 'HEAD' ? undefined : 'body')
  })
  const client = await connectRawClient({ port })
  await client.send(requestBytes({ path: '/early' }))
  expect(await client.response()).toMatchObject({ status: 200, interim: [103], body: 'body' })
  await client.send(requestBytes({ method: 'HEAD' }))
  expect(await client.response('HEAD')).toMatchObject({ status: 200, body: '' })
  for (const status of [204, 304]) {
    await client.send(requestBytes({ path: `/${status}` }))
    expect(await client.response()).toMatchObject({ status, body: '', complete: true })
  }
  await client.close()
})

test('sends slowly, byte by byte', async () => {
  const sizes: number[] = []
  const port = await serve((request, response) => {
    request.on('data', chunk => sizes.push(chunk.length)).on('end', () => response.end('ok'))
  })
  const started = performance.now()
  const parts = { headers: { connection: 'close' }, body: 'abc' }
  const answer = await sendRawRequest({ port, ...parts, split: 'bytes', delay: 1 })
  expect(answer.body).toBe('ok')
  expect(performance.now() - started).toBeGreaterThan(requestBytes(parts).length * 0.9)
  expect(sizes).toEqual([1, 1, 1])
})

test('half-closes and still reads the answer', async () => {
  const server = createTcpServer({ allowHalfOpen: true }, socket => {
    socket.resume().on('end', () => setTimeout(() => socket.end('HTTP/1.1 200 OK\r\n\r\nafter FIN'), 20))
  })
  servers.push(server)
  const port = await listen(server)
  expect((await sendRawRequest({ port, body: 'x', halfClose: true })).body).toBe('after FIN')
})

test('resets after so many bytes of the answer', async () => {
  let code: string | undefined
  const port = await serve((request, response) => {
    request.socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code
    })
    response.write('x'.repeat(1000))
  })
  const answer = await sendRawRequest({ port, resetAfter: 500 })
  expect(answer).toMatchObject({ status: 200, complete: false })
  await expect.poll(() => code).toBe('ECONNRESET')
})

test('a paused client reads nothing; resumed, it reads all', async () => {
  let accepted = 0
  let waits = false
  const port = await serve((_request, response) => {
    const more = () => {
      while (accepted < 50_000_000) {
        accepted += 100_000
        if (!response.write(Buffer.alloc(100_000))) {
          waits = true
          response.once('drain', more)
          return
        }
      }
      response.end()
    }
    more()
  })
  const client = await connectRawClient({ port, paused: true })
  await client.send(requestBytes({}))
  await expect.poll(() => waits).toBe(true)
  await expect(client.waitFor(1, 100)).rejects.toThrow('got 0 bytes, expected 1 bytes within 100 ms')
  expect(accepted).toBeLessThan(50_000_000)
  client.resume()
  expect((await client.response())?.bytes).toHaveLength(50_000_000)
  await client.close()
})

test('tells a FIN from a reset and from its own close', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/reset') request.socket.resetAndDestroy()
    else response.socket?.end()
  })
  for (const end of ['end', 'reset'] as const) {
    const client = await connectRawClient({ port })
    await client.send(requestBytes({ path: `/${end}` }))
    expect(await client.waitForEnd()).toBe(end)
    expect(await client.response()).toBeUndefined()
    await client.close()
  }
  const client = await connectRawClient({ port })
  expect(client.ended).toBeUndefined()
  await client.close()
  expect(client.ended).toBe('own')
})

test('a body that lasts until the close is complete after FIN only', async () => {
  const server = createTcpServer(socket => {
    socket.once('data', request => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nabc')
      setTimeout(() => (request.includes('/reset') ? socket.resetAndDestroy() : socket.end()), 20)
    })
  })
  servers.push(server)
  const port = await listen(server)
  expect(await sendRawRequest({ port, path: '/end' })).toMatchObject({ body: 'abc', complete: true })
  expect(await sendRawRequest({ port, path: '/reset' })).toMatchObject({ body: 'abc', complete: false })
})

test('a sendRawRequest without an answer says what came', async () => {
  const port = await serve(() => {})
  await expect(sendRawRequest({ port, timeout: 50 })).rejects.toThrow(
    'no whole answer within 50 ms; got 0 bytes',
  )
  const server = createTcpServer(socket => socket.resume().end('HTTP/1.1 20'))
  servers.push(server)
  await expect(sendRawRequest({ port: await listen(server) })).rejects.toThrow(
    '(end) before a head; got 11 bytes: "HTTP/1.1 20"',
  )
})

test('waits for text', async () => {
  const port = await serve((_request, response) => {
    response.write('one ')
    setTimeout(() => response.end('two'), 20)
  })
  const client = await connectRawClient({ port })
  await client.send(requestBytes({}))
  await client.waitFor('one ')
  expect(Buffer.from(client.received).includes('two')).toBe(false)
  await client.waitFor('two')
  await client.close()
})

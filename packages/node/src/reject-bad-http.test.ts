import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectRawClient } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { Connections } from './connections.ts'
import { rejectBadHttp } from './reject-bad-http.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const garbage = 'no HTTP at all\r\n\r\n'

/** A connection to a server that refuses bad HTTP, until the test ends. */
async function connect(listener: RequestListener, options: ServerOptions = {}) {
  const server = createServer(options, listener)
  rejectBadHttp(server, new Connections(server))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const client = await connectRawClient({ port: (server.address() as AddressInfo).port })
  onTestFinished(async () => {
    await client.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return client
}

const text = (client: { received: Uint8Array }) => Buffer.from(client.received).toString('latin1')
const answers = (client: { received: Uint8Array }) => text(client).split('HTTP/1.1 ').length - 1

it.each([
  ['no HTTP', garbage, 400],
  ['a head that is too large', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'b'.repeat(17_000)}\r\n\r\n`, 431],
])('answers %s in the shape of the protocol, and closes', async (_, sent, status) => {
  const client = await connect((_, res) => res.end('never'))
  await client.send(sent)
  const answer = await client.response()
  expect(answer).toMatchObject({ status, complete: true, headers: { connection: 'close' } })
  expect(answer?.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
  expect(answer?.json).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: null },
  })
  await client.waitForEnd()
  expect(answers(client)).toBe(1)
})

it('answers a head that comes too slowly with 408', async () => {
  const client = await connect((_, res) => res.end('never'), {
    headersTimeout: 100,
    connectionsCheckingInterval: 20,
  })
  await client.send('GET / HTTP/1.1\r\nHost:')
  expect(await client.response()).toMatchObject({ status: 408, json: { error: { code: null } } })
  await client.waitForEnd()
})

it('answers what comes behind an answer that has ended', async () => {
  const client = await connect((_, res) => res.end('first'))
  await client.send(get)
  expect((await client.response())?.body).toBe('first')
  await client.send(garbage)
  expect((await client.response())?.status).toBe(400)
  await client.waitForEnd()
})

it('writes nothing into an answer that has begun', async () => {
  const client = await connect((_, res) => void res.write('begun'))
  await client.send(get)
  await client.waitFor('begun')
  await client.send(garbage)
  await client.waitForEnd()
  expect(answers(client)).toBe(1)
  expect(text(client)).not.toContain('error')
})

it('writes nothing behind an answer that the server gave by itself', async () => {
  const client = await connect((_, res) => res.end('never'))
  await client.send(`GET / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n${garbage}`)
  await client.waitForEnd()
  expect(answers(client)).toBe(1)
  expect(text(client)).toContain('417')
})

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, models } from '@sluice/core'
import type { Transport } from '@sluice/core/provider'
import { fetchTransport } from '@sluice/core/provider'
import { fallback } from '@sluice/core/routing'
import { toNodeListener } from '@sluice/node'
import { anthropic } from '@sluice/providers'
import { describe, expect, it, onTestFinished } from 'vitest'

// A long body in the Messages API goes upstream in the bytes that were received, with edits between them.

const answer = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'theirs',
  content: [{ type: 'text', text: 'Hi.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** White space and escapes as no writer of JSON has them. */
const bodyOf = (unit: string, model = 'ours') =>
  `{ "max_tokens":10,"messages":[{"role":"user","content":"${unit.repeat(200_000)}\\u00e9"}] ,\n"model": "${model}","stream":false}`

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serving(handler: Handler): Promise<{ port: number; url: string }> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** An upstream that answers what it has read, with the statuses in turns; 200 after them. */
async function upstreamOf(...statuses: readonly number[]) {
  const received: Received[] = []
  const left = [...statuses]
  const { url } = await serving(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    received.push({ headers: incoming.headers, text: Buffer.concat(pieces).toString() })
    response.writeHead(left.shift() ?? 200, { 'content-type': 'application/json' }).end(answer)
  })
  return { url, received }
}

function gatewayPort(url: string, transport?: Transport): Promise<{ port: number }> {
  const vendor = anthropic({ apiKey: 'sk-test', baseURL: url })
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ ours: vendor('theirs'), two: fallback(vendor('first'), vendor('second')) }),
    ...(transport !== undefined && { transport }),
  })
  onTestFinished(() => gateway.close())
  return serving(toNodeListener(gateway))
}

/** Posts a body in pieces of so many bytes. */
async function post(port: number, text: string, size: number): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(text)
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/messages',
    headers: { 'content-type': 'application/json', 'content-length': bytes.length },
  })
  const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>
  for (let at = 0; at < bytes.length; at += size) outgoing.write(bytes.subarray(at, at + size))
  outgoing.end()
  const [response] = await responded
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  return { status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }
}

const renamed = (text: string, model: string) => text.replace(/"model": "\w+"/, `"model": "${model}"`)

describe('a long body that is passed on', () => {
  it.each([
    ['ASCII', 'a'],
    ['Latin', '\u00e9'],
    ['pairs of surrogates', '\ud83d\ude00'],
  ])('arrives byte for byte, with its length: %s', async (_, unit) => {
    const upstream = await upstreamOf()
    const { port } = await gatewayPort(upstream.url)
    // The second on the connection of the first.
    for (const size of [1_000, 70_001]) expect((await post(port, bodyOf(unit), size)).status).toBe(200)
    const expected = renamed(bodyOf(unit), 'theirs')
    for (const { headers, text } of upstream.received) {
      expect(text === expected).toBe(true)
      expect(headers['content-length']).toBe(String(Buffer.byteLength(expected)))
      expect(headers).not.toHaveProperty('transfer-encoding')
    }
    expect(upstream.received).toHaveLength(2)
  })

  it('is sent again to the next target, with its name of the model', async () => {
    const upstream = await upstreamOf(500)
    const { port } = await gatewayPort(upstream.url)
    expect((await post(port, bodyOf('a', 'two'), 70_000)).status).toBe(200)
    const expected = ['first', 'second'].map(model => renamed(bodyOf('a', 'two'), model))
    expect(upstream.received.map(({ text }) => expected.indexOf(text))).toEqual([0, 1])
  })

  it('reaches a transport of the application as one array of bytes', async () => {
    const upstream = await upstreamOf()
    const bodies: unknown[] = []
    const sending = fetchTransport()
    const { port } = await gatewayPort(upstream.url, (sent, signal) => {
      bodies.push(sent.body)
      return sending(sent, signal)
    })
    expect((await post(port, bodyOf('a'), 70_000)).status).toBe(200)
    expect(bodies).toEqual([expect.any(Uint8Array)])
    expect(upstream.received[0]?.text === renamed(bodyOf('a'), 'theirs')).toBe(true)
  })

  it('may be refused before it is read; the next request is answered', async () => {
    let refuses = true
    const { url } = await serving((incoming, response) => {
      if (!refuses) incoming.resume().once('end', () => response.end(answer))
      else response.writeHead(400, { 'content-type': 'application/json' }).end('{"type":"error"}')
    })
    const { port } = await gatewayPort(url)
    const long = bodyOf('\u65e5'.repeat(10))
    expect((await post(port, long, 70_000)).status).toBe(400)
    refuses = false
    expect((await post(port, long, 70_000)).status).toBe(200)
  })

  it('is cut off when its client leaves, while the upstream reads nothing of it', async () => {
    let opened: (incoming: IncomingMessage) => void
    const stuck = new Promise<IncomingMessage>(resolve => {
      opened = resolve
    })
    let isStuck = true
    const { url } = await serving((incoming, response) => {
      if (isStuck) opened(incoming)
      else incoming.resume().once('end', () => response.end(answer))
    })
    const { port } = await gatewayPort(url)
    const bytes = Buffer.from(bodyOf('\u65e5'.repeat(10)))
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length }
    const client = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/messages', headers })
    client.on('error', () => {}).end(bytes)
    const incoming = await stuck
    const closed = new Promise(resolve => incoming.socket.once('close', resolve))
    client.destroy()
    incoming.on('error', () => {}).resume()
    await closed
    isStuck = false
    expect((await post(port, bodyOf('a'), 70_000)).status).toBe(200)
  })
})

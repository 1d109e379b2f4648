import type { IncomingMessage } from 'node:http'
import type { Gateway } from '@sluice/core'
import { serve, toNodeListener } from '@sluice/node'
import { connectRawClient } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AskedCase, askedCases } from './asked-cases.ts'
import { type Mount, mounted, mounts, mountsBehind } from './mounts.ts'
import { authorized, saying, testGateway } from './test-gateway.ts'

/** What a client sees of an answer. */
interface Seen {
  readonly status: number
  /** Lines, sorted; without those by which a connection or a host speaks for itself. */
  readonly headers: readonly string[]
  readonly body: string
}

/** How the bytes of a request come: with its head, after somebody has begun to answer it, or in chunks. */
type Way = 'at once' | 'later' | 'in chunks'

/** A gateway whose answers are the same each time, and when it was first asked. */
function settledGateway({ options, around }: AskedCase) {
  let ids = 0
  let began = () => {}
  const asked = new Promise<void>(resolve => {
    began = resolve
  })
  const { gateway } = testGateway({
    now: () => 1_750_000_000_000,
    generateId: () => `${++ids}`.padStart(32, '0'),
    random: () => 0.25,
    ...options?.(),
  })
  const inner = around?.(gateway.fetch) ?? gateway.fetch
  const fetch: Gateway['fetch'] = (input, init) => {
    began()
    return inner(input, init)
  }
  return { gateway: { ...gateway, fetch } as Gateway, asked }
}

function messageOf({ method = 'POST', path = '/chat/completions', headers, body }: AskedCase) {
  const sent = method === 'GET' || method === 'HEAD' ? undefined : Buffer.from(body ?? saying('hello there'))
  return { method, path, headers: headers ?? authorized, body: sent }
}

/** By a native `Request`, of which the native `Response` is read. */
async function seenNatively(asked: AskedCase, way: Way): Promise<Seen> {
  const { gateway } = settledGateway(asked)
  const { method, path, headers, body } = messageOf(asked)
  const sent = new Headers(headers)
  if (body !== undefined && way !== 'in chunks') sent.set('content-length', `${body.length}`)
  let seen: Seen | undefined
  for (let left = asked.times ?? 1; left > 0; left--) {
    const init = { method, headers: sent, ...(body === undefined ? {} : { body }) }
    const response = await gateway.fetch(new Request(`http://localhost/v1${path}`, init))
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
    seen = {
      status: response.status,
      headers: linesOf([...response.headers]),
      body: method === 'HEAD' ? '' : text,
    }
  }
  return seen!
}

/** By a socket. */
async function seenOn(mount: Mount, asked: AskedCase, way: Way): Promise<Seen> {
  const { gateway, asked: begun } = settledGateway(asked)
  const at = await mount(gateway)
  onTestFinished(() => at.close())
  const client = await connectRawClient({ port: at.port })
  onTestFinished(() => client.close())
  const { method, path, headers, body } = messageOf(asked)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  if (way === 'in chunks') lines.push('transfer-encoding: chunked')
  else if (body !== undefined) lines.push(`content-length: ${body.length}`)
  const base = new URL(at.baseURL).pathname
  const head = Buffer.from(
    `${method} ${base}${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`,
    'latin1',
  )
  const framed = way === 'in chunks' ? chunked(body) : (body ?? Buffer.alloc(0))
  let seen: Seen | undefined
  for (let left = asked.times ?? 1; left > 0; left--) {
    if (way === 'later') {
      await client.send(head)
      await begun
      await new Promise(setImmediate)
      await client.send(framed)
    } else {
      await client.send(Buffer.concat([head, framed]))
    }
    const answer = (await client.response(method))!
    expect(answer.complete).toBe(true)
    seen = {
      status: answer.status,
      headers: linesOf(answer.rawHeaders),
      body: Buffer.from(answer.bytes).toString('latin1'),
    }
  }
  return seen!
}

function chunked(body = Buffer.alloc(0)): Buffer {
  const half = body.length >> 1
  const pieces = [body.subarray(0, half), body.subarray(half)].filter(piece => piece.length > 0)
  const framed = pieces.flatMap(piece => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, crlf])
  return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')])
}

const crlf = Buffer.from('\r\n')
const theHosts = new Set(
  'connection content-length date keep-alive transfer-encoding x-powered-by'.split(' '),
)

function linesOf(headers: Iterable<readonly [string, string]>): string[] {
  return [...headers]
    .filter(([name]) => !theHosts.has(name.toLowerCase()))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .sort()
}

async function served(gateway: Gateway) {
  const { port, url, close } = await serve(gateway as Gateway<IncomingMessage>, { port: 0, signals: false })
  return { baseURL: `${url}/v1`, origin: url, port, close: () => close({ drainMs: 0 }) }
}

const hosts = { serve: served, ...pick(mounts, 'node http', 'express 4', 'express 5', 'koa 2', 'koa 3') }

describe.each(Object.entries(hosts))('%s answers as gateway.fetch does', (_, mount) => {
  it.each(Object.entries(askedCases))('%s', async (_, asked) => {
    const ways: Way[] = messageOf(asked).body === undefined ? ['at once'] : ['at once', 'later', 'in chunks']
    for (const way of ways) {
      expect(await seenOn(mount, asked, way), way).toEqual(await seenNatively(asked, way))
    }
  })
})

/** Bodies that a parser has read: an object, and the bytes as they came. */
const parsing = {
  ...pick(
    mountsBehind({
      express: (app, express) => app.use(express.json({ limit: '1mb' })),
      koa: app =>
        app.use(async (ctx, next) => {
          Object.assign(ctx.request, { body: JSON.parse(await textOf(ctx.req)) })
          await next()
        }),
    }),
    'express 4',
    'express 5',
    'koa 2',
    'koa 3',
  ),
  'node http, its bytes': (gateway: Gateway) => {
    const listener = toNodeListener(gateway)
    return mounted(async (incoming, response) => {
      listener(Object.assign(incoming, { rawBody: await textOf(incoming) }), response)
    })
  },
} satisfies Record<string, Mount>

describe.each(Object.entries(parsing))('%s behind a parser answers as gateway.fetch does', (_, mount) => {
  it.each(
    Object.entries(
      pick(askedCases, 'a whole answer', 'text beyond ASCII', 'a stream', 'a wrong number', 'no key'),
    ),
  )('%s', async (_, asked) => {
    expect(await seenOn(mount, asked, 'at once')).toEqual(await seenNatively(asked, 'at once'))
  })
})

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of incoming.setEncoding('utf8')) text += piece
  return text
}

function pick<T, Name extends string>(all: Readonly<Record<string, T>>, ...names: Name[]): Record<Name, T> {
  return Object.fromEntries(names.map(name => [name, all[name]!])) as Record<Name, T>
}

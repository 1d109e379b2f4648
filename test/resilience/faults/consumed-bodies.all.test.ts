import { text } from 'node:stream/consumers'
import { bodyParser } from '@koa/bodyparser'
import { toNodeListener } from '@sluice/node'
import { connectRawClient, readSse, requestBytes, steps } from '@sluice/testing'
import type { Middleware } from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base, headersOf } from '../../e2e/conformance/site.ts'
import { type InFront, type Mount, mounted } from '../../e2e/mounts/mounts.ts'
import { behindParsers } from './harness/parsers.ts'
import { expectRefusal } from './harness/refused.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** What hosts do with a body before the gateway sees the request. */
const parsers: Readonly<Record<string, InFront>> = {
  'the usual JSON parser': {
    express: (app, express) => app.use(express.json()),
    koa: app => app.use(bodyParser()),
  },
  'a parser that keeps the bytes': {
    express: (app, express) => app.use(express.raw({ type: '*/*' })),
    koa: app => app.use(keeping('rawBody')),
  },
  'a parser that keeps the text': {
    express: (app, express) => app.use(express.text({ type: '*/*' })),
    koa: app => app.use(keeping('body')),
  },
}

function keeping(name: 'rawBody' | 'body'): Middleware {
  return async (ctx, next) => {
    if (ctx.method === 'POST') Object.assign(ctx.request, { [name]: await text(ctx.req) })
    await next()
  }
}

/** Node's own server, whose listener reads the body first. */
const nodeBehindParser: Mount = gateway => {
  const listener = toNodeListener(gateway)
  return mounted((incoming, response) => {
    void text(incoming).then(body => {
      listener(Object.assign(incoming, { body: body === '' ? undefined : JSON.parse(body) }), response)
    })
  })
}

function answersAlike(mount: Mount): void {
  it('is answered as if nobody had read it', async () => {
    const upstream = await upstreamDuring()
    const { site, ends } = await startService(mount, { models: { local: upstream } })
    expect((await site.chat()).status).toBe(200)
    const streamed = await readSse((await site.chat({ stream: true })).bytes)
    expect(streamed.done).toBe(true)
    expectRefusal(await site.chat({ temperature: 'hot' }), 400, { param: 'temperature' })
    expectRefusal(await site.chat({ model: 'other' }), 404, { code: 'model_not_found' })
    expectRefusal(await site.chat({}, { key: 'wrong' }), 401, { code: 'invalid_api_key' })
    expect(upstream.requests.map(({ json }) => json?.messages)).toEqual([base.messages, base.messages])
    expect(ends.map(({ outcome }) => outcome)).not.toContain('internal_error')
  })
}

function endsWithItsClient(mount: Mount): void {
  it.each([
    ['before the head', steps.hang(), {}],
    ['in mid stream', [steps.head(), steps.hang()], { stream: true }],
  ])('ends its call when the client leaves: %s', async (_, script, fields) => {
    const upstream = await upstreamDuring(script)
    const { site, end } = await startService(mount, { models: { local: upstream } })
    const client = await connectRawClient({ port: site.port })
    onTestFinished(() => client.close())
    const body = { ...base, ...fields }
    await client.send(requestBytes({ path: site.pathOf('/chat/completions'), headers: headersOf({}), body }))
    await upstream.waitForRequest()
    client.reset()
    expect(await upstream.waitForClose()).toBeLessThan(1_000)
    expect(await end()).toMatchObject({ outcome: 'client_disconnected', attempts: [{ called: true }] })
    await upstream.waitForIdle()
  })
}

let hasRead = () => {}

/** Reads the body, says so, and goes on when the client is gone. */
const leftBehind: InFront = {
  express: (app, express) => {
    app.use(express.json())
    app.use((req, _, next) => {
      req.socket.once('close', () => next())
      hasRead()
    })
  },
  koa: app => {
    app.use(bodyParser())
    app.use(async (ctx, next) => {
      const left = new Promise(resolve => ctx.req.socket.once('close', resolve))
      hasRead()
      await left
      await next()
    })
  },
}

describe('F25 a body that the host has read before the gateway', () => {
  for (const [name, before] of Object.entries(parsers)) {
    describe(name, () => behindParsers(answersAlike, before))
  }
  behindParsers(endsWithItsClient)

  describe('node http, behind a parser', () => {
    answersAlike(nodeBehindParser)
    endsWithItsClient(nodeBehindParser)
  })

  behindParsers(mount => {
    it('asks nobody where the client has left between the parser and the gateway', async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { local: upstream } })
      const client = await connectRawClient({ port: site.port })
      onTestFinished(() => client.close())
      const path = site.pathOf('/chat/completions')
      const read = new Promise<void>(resolve => {
        hasRead = resolve
      })
      await client.send(requestBytes({ path, headers: headersOf({}), body: base }))
      await read
      client.reset()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', status: 499, attempts: [] })
      expect(upstream.connections.total).toBe(0)
    })
  }, leftBehind)
})

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import { createGateway, models, withCors } from '@sluice/core'
import { local } from '@sluice/providers'
import Koa from 'koa'
import mount from 'koa-mount'
import Koa2 from 'koa2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bodyParserErrors, toKoa } from './index.ts'

const gateway = withCors(
  createGateway({ authenticate: () => ({ id: 'a' }), route: models({ m: local()('m') }) }),
  { origins: ['https://app.test'] },
)
const large = JSON.stringify({ text: 'x'.repeat(200) })
/** A body that is compressed, without its end. */
const cut = new Uint8Array(gzipSync('{}').subarray(0, 15))
const good = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })

it('refuses what is no gateway', () => {
  expect(() => bodyParserErrors(undefined as never)).toThrow(
    'bodyParserErrors(): got undefined, expected a gateway, as createGateway({ ... }) returns it.',
  )
})

it.each([['/t/:tenant'], ['/ai/{*path}'], [/ai/], ['https://host/ai']])('refuses the mount %s', prefix => {
  expect(() => bodyParserErrors(gateway, prefix as string)).toThrow(
    /^bodyParserErrors\(\): mount: got .*, expected a path without patterns, such as '\/api\/ai'/,
  )
})

describe.each([
  ['Koa 3', Koa],
  ['Koa 2', Koa2 as unknown as typeof Koa],
])('bodyParserErrors in %s', (_, Host) => {
  /** An application whose outermost middleware answers 418 to every error that reaches it. */
  function application(use: (app: Koa) => unknown) {
    const app = new Host()
    app.silent = true
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        ctx.status = 418
        ctx.body = String(error)
      }
    })
    use(app)
    return app
  }

  async function posting(app: Koa) {
    const server = createServer(app.callback() as RequestListener)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(origin + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        // For a stream.
        duplex: 'half',
      } as RequestInit)
  }

  const parser = () => bodyParser({ jsonLimit: 100 })
  const usual = (prefix = '/ai') =>
    posting(
      application(app =>
        app
          .use(bodyParserErrors(gateway, prefix))
          .use(parser())
          .use(mount('/ai', toKoa(gateway))),
      ),
    )

  it.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number, RegExp]>([
    ['a body that is too large', large, {}, 413, /limit \(100\) exceeded \(211 bytes read\)/],
    ['a body that is no JSON', '{', {}, 400, /could not parse the JSON body/],
    ['a body that is no object', '"text"', {}, 400, /could not parse the JSON body/],
    ['an encoding', '{}', { 'content-encoding': 'zstd' }, 400, /plain UTF-8/],
    ['a broken encoding', '{}', { 'content-encoding': 'gzip' }, 400, /plain UTF-8/],
    ['a truncated encoding', cut, { 'content-encoding': 'gzip' }, 400, /plain UTF-8/],
  ])('answers for %s in the format of the protocol', async (_, body, headers, status, message) => {
    const response = await (await usual())('/ai/v1/chat/completions', body, headers)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringMatching(message),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    })
  })

  it('answers in the format of the Messages API on its paths', async () => {
    const response = await (await usual())('/ai/v1/messages?beta=true', large)
    expect(response.status).toBe(413)
    const id = response.headers.get('request-id')
    expect(id).toMatch(/^req_/)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'request_too_large', message: expect.stringMatching(/limit \(100\) exceeded/) },
      request_id: id,
    })
  })

  it('lets a page of an allowed origin read the error', async () => {
    const headers = { origin: 'https://app.test' }
    const response = await (await usual())('/ai/v1/chat/completions', '{', headers)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
  })

  it('answers for a body of megabytes that the client is still sending', async () => {
    const post = await usual()
    const chunks = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536).fill(120))
        if (++sent === 50) controller.close()
      },
    })
    let sent = 0
    const bodies = [chunks, 'x'.repeat(3_000_000)]
    for (const body of bodies) {
      const response = await post('/ai/v1/chat/completions', body)
      expect([response.status, await response.json()]).toMatchObject([
        413,
        { error: { message: expect.stringMatching(/exceeded \(\d+ bytes read\)/) } },
      ])
    }
  })

  it('answers for a gateway of its own that formats no errors', async () => {
    const post = await posting(
      application(app => app.use(bodyParserErrors({ matches: () => true })).use(parser())),
    )
    const response = await post('/v1/messages', '{')
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: null } }])
  })

  it('knows where it is mounted', async () => {
    const router = new Router()
    router.post('/routed/v1/{*path}', bodyParserErrors(gateway), parser(), toKoa(gateway))
    const inner = new Koa()
    inner.use(bodyParserErrors(gateway)).use(parser()).use(toKoa(gateway))
    const post = await posting(application(app => app.use(mount('/mounted', inner)).use(router.routes())))
    for (const base of ['/mounted', '/routed']) {
      expect((await post(`${base}/v1/chat/completions`, '{')).status, base).toBe(400)
      expect((await post(`${base}/v1/chat/completions`, good)).status, base).toBe(200)
    }
  })

  it.each([['/ai/'], ['ai'], ['ai/']])('takes the mount %s', async prefix => {
    const post = await usual(prefix)
    expect((await post('/ai/v1/chat/completions', '{')).status).toBe(400)
    expect((await post('/own', '{')).status).toBe(418)
  })

  it('takes the mount /', async () => {
    const post = await posting(
      application(app => app.use(bodyParserErrors(gateway, '/')).use(parser()).use(toKoa(gateway))),
    )
    expect((await post('/v1/chat/completions', '{')).status).toBe(400)
  })

  it("leaves the application's own paths to its own handler", async () => {
    const post = await usual()
    for (const path of ['/own', '/v1/chat/completions', '/ain/v1/chat/completions']) {
      const response = await post(path, '{')
      expect([response.status, await response.text()], path).toEqual([
        418,
        expect.stringMatching(/SyntaxError/),
      ])
    }
  })

  it.each<[string, (ctx: Koa.Context) => unknown]>([
    ['an error', () => Promise.reject(new Error('own'))],
    ['a syntax error', () => JSON.parse('{own')],
    ['an error of http-errors', ctx => ctx.throw(400, 'own')],
    ['no error object', () => Promise.reject(undefined)],
  ])("passes on %s of the application's own code", async (_, fails) => {
    const before = await posting(
      application(app =>
        app
          .use(bodyParserErrors(gateway))
          .use(async ctx => void (await fails(ctx)))
          .use(parser()),
      ),
    )
    expect((await before('/v1/chat/completions', good)).status).toBe(418)
  })

  it('passes on what is thrown after the parser, as if it were from one', async () => {
    const thrown = Object.assign(new Error('own'), { status: 413, type: 'entity.too.large' })
    const post = await posting(
      application(app =>
        app
          .use(bodyParserErrors(gateway))
          .use(parser())
          .use(() => Promise.reject(thrown)),
      ),
    )
    expect((await post('/v1/chat/completions', '{}')).status).toBe(418)
  })

  it('passes valid requests through', async () => {
    expect((await (await usual())('/ai/v1/chat/completions', good)).status).toBe(200)
  })
})

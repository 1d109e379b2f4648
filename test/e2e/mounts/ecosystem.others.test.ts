import type { Gateway, Principal } from '@sluice/core'
import { toNodeListener } from '@sluice/node'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mounted } from './mounts.ts'
import { authorized, complete, contentOf, during, saying, testGateway } from './test-gateway.ts'

const ask = (url: string, body = saying('hello there')) =>
  new Request(url, { method: 'POST', headers: authorized, body })

describe('node http', () => {
  it('E21 is a listener, and a throw is a 500 that tells nothing', async () => {
    const { gateway } = testGateway({
      authenticate: () => {
        throw new Error('secret of the directory')
      },
    })
    const { baseURL } = await during(mounted(toNodeListener(gateway)))
    const answer = await complete(baseURL)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    const text = await answer.text()
    expect(Object.keys(JSON.parse(text).error)).toEqual(['message', 'type', 'param', 'code'])
    expect(text).not.toMatch(/secret|at /)
  })

  it('E21 answers paths that are not its own with 404', async () => {
    const { gateway } = testGateway()
    const { origin } = await during(mounted(toNodeListener(gateway)))
    for (const path of ['/', '/other', '/v1', '/v1/', '/v1/other']) {
      const answer = await fetch(origin + path, { headers: authorized })
      expect([path, answer.status, (await answer.json()).error.type]).toEqual([
        path,
        404,
        'invalid_request_error',
      ])
    }
  })

  it.each([false, true])('E8 believes a proxy only when told to: %s', async trustProxy => {
    const urls: string[] = []
    const { gateway } = testGateway({
      authenticate: request => {
        urls.push(request.url)
        return { id: 'anyone' }
      },
    })
    const { baseURL, origin } = await during(mounted(toNodeListener(gateway, { trustProxy })))
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'outer.example' }
    await fetch(`${baseURL}/models`, { headers })
    expect(urls).toEqual([`${trustProxy ? 'https://outer.example' : origin}/v1/models`])
  })

  it('E22 drains: running streams end, new requests are refused', async () => {
    const { gateway, model } = testGateway()
    const { baseURL } = await during(mounted(toNodeListener(gateway)))
    const running = await complete(baseURL, saying('no second token', { stream: true }))
    const reader = running.body!.getReader()
    await reader.read()
    const closed = gateway.close({ drainMs: 100 })
    const refused = await complete(baseURL)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    await closed
    expect(model.calls[0]?.signal.aborted).toBe(true)
    let text = ''
    for (let step = await reader.read(); !step.done; step = await reader.read())
      text += Buffer.from(step.value)
    expect(text).toContain('"error"')
    expect(text).not.toContain('[DONE]')
  })
})

describe('Fastify', () => {
  async function serving(setUp: (app: FastifyInstance) => void) {
    const app = fastify()
    setUp(app)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    return `${origin}/v1`
  }

  it('E23 by reply.hijack() and the listener', async () => {
    const { gateway } = testGateway()
    const listener = toNodeListener(gateway)
    const baseURL = await serving(app => {
      app.all('/v1/*', (req, reply) => {
        reply.hijack()
        listener(Object.assign(req.raw, { body: req.body }), reply.raw)
      })
    })
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
    expect(await contentOf(await complete(baseURL, saying('hello there', { stream: true })))).toBe(
      'hello there',
    )
    expect((await fetch(`${baseURL}/models`, { headers: authorized })).status).toBe(200)
  })

  it('E23 by returning a Response', async () => {
    const { gateway } = testGateway()
    const baseURL = await serving(app => {
      app.post('/v1/*', req =>
        gateway.fetch(
          new Request(`http://${req.host}${req.url}`, {
            method: 'POST',
            headers: authorized,
            body: JSON.stringify(req.body),
          }),
        ),
      )
    })
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
    expect(await contentOf(await complete(baseURL, saying('hello there', { stream: true })))).toBe(
      'hello there',
    )
  })
})

describe('Hono', () => {
  it.each([
    [
      'app.all with the full path',
      (app: Hono, { fetch }: Gateway) => app.all('/v1/*', c => fetch(c.req.raw)),
      '/v1',
    ],
    [
      'app.mount with the prefix taken off',
      (app: Hono, { fetch }: Gateway) => app.mount('/ai', request => fetch(request)),
      '/ai/v1',
    ],
    ['app.mount with fetch itself', (app: Hono, { fetch }: Gateway) => app.mount('/ai', fetch), '/ai/v1'],
  ])('E24 by %s', async (_, put, base) => {
    const { gateway } = testGateway()
    const app = new Hono()
    put(app, gateway)
    const url = `http://localhost${base}/chat/completions`
    expect(await contentOf(await app.request(ask(url)))).toBe('hello there')
    const streamed = await app.request(ask(url, saying('hello there', { stream: true })))
    expect(await contentOf(streamed)).toBe('hello there')
  })
})

describe('a server of fetch', () => {
  it('E25 as the routes of a framework, with its own second argument', async () => {
    const { gateway } = testGateway()
    const route = { GET: gateway.fetch, POST: gateway.fetch }
    const context = { params: Promise.resolve({ path: ['chat', 'completions'] }) } as object
    const answer = await route.POST(ask('http://localhost/v1/chat/completions'), context)
    expect(await contentOf(answer)).toBe('hello there')
    const models = await route.GET(
      new Request('http://localhost/v1/models', { headers: authorized }),
      context,
    )
    expect(models.status).toBe(200)
  })

  it('E25 as the default export of a worker', async () => {
    const { gateway } = testGateway()
    const worker = { fetch: gateway.fetch }
    const answer = await worker.fetch(
      ask('http://localhost/v1/chat/completions', saying('hello there', { stream: true })),
    )
    expect(answer).toBeInstanceOf(Response)
    expect(await contentOf(answer)).toBe('hello there')
  })

  it('E25 as the fetch of the official client', async () => {
    const { gateway } = testGateway()
    const client = new OpenAI({ apiKey: 'test-key', baseURL: 'http://localhost/v1', fetch: gateway.fetch })
    const completion = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'hello there' }],
    })
    expect(completion.choices[0]?.message.content).toBe('hello there')
  })

  it('E26 what a worker is given reaches its policies', async () => {
    const { gateway } = testGateway({
      authenticate: (_, host): Principal => ({ id: (host as { env: { TENANT: string } }).env.TENANT }),
    })
    const identified: Principal[] = []
    const worker = {
      fetch: (request: Request, env: { TENANT: string }) =>
        gateway.fetch(request, { host: { env }, onPrincipal: principal => identified.push(principal) }),
    }
    const answer = await worker.fetch(ask('http://localhost/v1/chat/completions'), { TENANT: 'acme' })
    expect(await contentOf(answer)).toBe('hello there')
    expect(identified).toEqual([{ id: 'acme' }])
  })
})

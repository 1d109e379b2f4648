import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import type { Gateway } from '@sluice/core'
import { toKoa } from '@sluice/koa'
import type Koa from 'koa'
import compress from 'koa-compress'
import mount from 'koa-mount'
import { describe, expect, it, vi } from 'vitest'
import { koas, mounted, quietKoa } from './mounts.ts'
import { authorized, complete, contentOf, during, firstEventMs, saying, testGateway } from './test-gateway.ts'

describe.each(Object.entries(koas))('%s', (_, Koa) => {
  /** An app that the test sets up, until the test ends. */
  const serving = (setUp: (app: Koa) => string | undefined) => {
    const app = quietKoa(Koa)
    const base = setUp(app) ?? '/v1'
    return during(mounted(app.callback(), base))
  }

  it('E14 outer middleware sees the answer, adds headers, and compresses it', async () => {
    const { gateway } = testGateway()
    const seen: unknown[] = []
    const { baseURL } = await serving(app => {
      app.use(compress({ threshold: 0 }))
      app.use(async (ctx, next) => {
        ctx.set('x-before', '1')
        ctx.vary('Origin')
        await next()
        seen.push([ctx.status, ctx.response.get('content-type')])
        ctx.set('x-after', '1')
      })
      app.use(toKoa(gateway))
      return undefined
    })
    const answer = await complete(baseURL)
    expect(seen).toEqual([[200, 'application/json']])
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'x-before': '1', 'x-after': '1' })
    expect(answer.headers.get('vary')).toMatch(/origin.*authorization/i)
    expect(answer.headers.get('content-encoding')).toBeTruthy()
    expect(await contentOf(answer)).toBe('hello there')
  })

  it('E14 an outer error handler still answers for what is thrown inside', async () => {
    const { gateway } = testGateway()
    const { origin } = await serving(app => {
      app.use(async (ctx, next) => {
        try {
          await next()
        } catch (error) {
          ctx.status = 418
          ctx.body = (error as Error).message
        }
      })
      app.use(toKoa(gateway))
      app.use(() => {
        throw new Error('the app failed')
      })
      return undefined
    })
    const answer = await fetch(`${origin}/other`)
    expect([answer.status, await answer.text()]).toEqual([418, 'the app failed'])
  })

  it.each([false, true])('E15 E8 the URL has the host of the request, trusting a proxy: %s', async proxy => {
    const urls: string[] = []
    const { gateway } = testGateway({
      authenticate: request => {
        urls.push(request.url)
        return { id: 'anyone' }
      },
    })
    const { baseURL, origin } = await serving(app => {
      app.proxy = proxy
      app.use(toKoa(gateway))
      return undefined
    })
    const headers = {
      origin: 'https://evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'outer.example',
    }
    expect((await fetch(`${baseURL}/models?a=1`, { headers })).status).toBe(200)
    expect(urls).toEqual([`${proxy ? 'https://outer.example' : origin}/v1/models?a=1`])
  })

  it('E16 keeps the full URL under koa-mount and under a prefix', async () => {
    const urls: string[] = []
    const { gateway } = testGateway({
      authenticate: request => {
        urls.push(new URL(request.url).pathname)
        return { id: 'anyone' }
      },
    })
    const { origin } = await serving(app => {
      app.use(mount('/mounted', toKoa(gateway)))
      const router = new Router({ prefix: '/routed' })
      router.all('/v1/{*path}', toKoa(gateway))
      app.use(router.routes())
      return undefined
    })
    const paths = ['/mounted/v1/models', '/routed/v1/models', '/routed/v1/models/m']
    for (const path of paths) expect([path, (await fetch(origin + path)).status]).toEqual([path, 200])
    expect(urls).toEqual(paths)
    expect((await fetch(`${origin}/mounted`)).status).toBe(404)
  })

  const parsers: Record<string, Koa.Middleware[]> = {
    'no parser': [],
    '@koa/bodyparser': [bodyParser()],
    '@koa/bodyparser for text': [
      bodyParser({ enableTypes: ['text'], extendTypes: { text: ['application/json'] } }),
    ],
    'a parser that keeps no raw body': [
      bodyParser(),
      async (ctx, next) => {
        Object.assign(ctx.request, { rawBody: undefined })
        await next()
      },
    ],
    'a parser that passes this type by': [bodyParser({ enableTypes: ['form'] })],
  }

  it.each(Object.entries(parsers))('E17 E3 answers alike behind %s', async (_, before) => {
    const { gateway } = testGateway()
    const { baseURL } = await serving(app => {
      for (const parser of before) app.use(parser)
      app.use(toKoa(gateway))
      return undefined
    })
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
    expect(await contentOf(await complete(baseURL, saying('hello there', { stream: true })))).toBe(
      'hello there',
    )
    const wrong = await complete(baseURL, saying('hi', { temperature: 'hot' }))
    expect([wrong.status, (await wrong.json()).error]).toEqual([
      400,
      expect.objectContaining({ param: 'temperature' }),
    ])
    const plain = await complete(baseURL, saying('hi'), {
      headers: { ...authorized, 'content-type': 'text/plain' },
    })
    expect([plain.status, (await plain.json()).error.code]).toEqual([400, 'unsupported_content_type'])
  })

  it('E17 E4 answers 500 where the body was read and lost, and never hangs', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { gateway } = testGateway()
    const { baseURL } = await serving(app => {
      app.use(async (ctx, next) => {
        for await (const _ of ctx.req);
        await next()
      })
      app.use(toKoa(gateway))
      return undefined
    })
    const answer = await complete(baseURL)
    expect([answer.status, (await answer.json()).error.type]).toEqual([500, 'server_error'])
    warned.mockRestore()
  })

  it('E18 the first event comes within 100 ms through koa-compress', async () => {
    const { gateway, model } = testGateway()
    const { baseURL } = await serving(app => {
      app.use(compress({ threshold: 0, filter: () => true }))
      app.use(async (ctx, next) => {
        await next()
        if (ctx.response.is('event-stream')) expect([ctx.compress, ctx.headerSent]).toEqual([false, true])
      })
      app.use(toKoa(gateway))
      return undefined
    })
    expect(await firstEventMs(baseURL)).toBeLessThan(100)
    await vi.waitUntil(() => model.calls.every(({ signal }) => signal.aborted), { timeout: 500 })
  })

  it('E19 E11 the identity comes from the host and goes back to it', async () => {
    const seen: unknown[] = []
    const { gateway } = testGateway({
      authenticate: (_, host) => ({ id: (host as Koa.Context).state.user }),
    })
    const { baseURL } = await serving(app => {
      app.use(async (ctx, next) => {
        ctx.state.user = 'ada'
        await next()
        seen.push(ctx.state.sluice)
      })
      app.use(toKoa(gateway))
      return undefined
    })
    expect((await complete(baseURL)).status).toBe(200)
    expect(seen).toEqual([{ id: 'ada' }])
  })

  it('E19 E9 refusals are answered and not thrown', async () => {
    const { gateway } = testGateway()
    const failed = vi.fn()
    const { baseURL } = await serving(app => {
      app.on('error', failed)
      app.use(toKoa(gateway))
      return undefined
    })
    const statuses = [
      await complete(baseURL, '{'),
      await complete(baseURL, undefined, { headers: {} }),
      await complete(baseURL, saying('hi').replace('"m"', '"unknown"')),
      await fetch(`${baseURL}/chat/completions`),
    ].map(({ status }) => status)
    expect(statuses).toEqual([400, 401, 404, 405])
    expect(failed).not.toHaveBeenCalled()
  })

  it('E19 E10 what is not its path goes on to the app', async () => {
    const { gateway } = testGateway()
    const { origin } = await serving(app => {
      app.use(toKoa(gateway))
      app.use(mount('/ai', toKoa(gateway)))
      app.use(ctx => {
        ctx.body = `the app at ${ctx.path}`
      })
      return undefined
    })
    for (const path of ['/users', '/v1beta', '/ai/page', '/']) {
      expect(await (await fetch(origin + path)).text()).toBe(`the app at ${path}`)
    }
  })

  it('E20 keeps the status, appends set-cookie, and sends no body where there is none', async () => {
    const { gateway } = testGateway()
    const answers = {
      '/v1/cookies': () => {
        const headers = new Headers()
        headers.append('set-cookie', 'a=1')
        headers.append('set-cookie', 'b=2')
        return new Response('text', { status: 202, headers })
      },
      '/v1/empty': () => new Response(null, { status: 200 }),
      '/v1/none': () => new Response(null, { status: 204 }),
    }
    const answering: Gateway = {
      ...gateway,
      fetch: async input => answers[new URL((input as Request).url).pathname as keyof typeof answers](),
    }
    const { origin } = await serving(app => {
      app.use(async (ctx, next) => {
        ctx.append('set-cookie', 'host=0')
        await next()
      })
      app.use(toKoa(answering))
      return undefined
    })
    const cookies = await fetch(`${origin}/v1/cookies`)
    expect([cookies.status, await cookies.text()]).toEqual([202, 'text'])
    expect(cookies.headers.getSetCookie()).toEqual(['host=0', 'a=1', 'b=2'])
    const empty = await fetch(`${origin}/v1/empty`)
    expect([empty.status, await empty.text(), empty.headers.get('content-type')]).toEqual([200, '', null])
    expect((await fetch(`${origin}/v1/none`)).status).toBe(204)
  })

  it('cuts the connection when a stream breaks', async () => {
    const { gateway } = testGateway()
    const broken: Gateway = {
      ...gateway,
      fetch: async () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(Buffer.from('one'))
              return Promise.resolve().then(() => controller.error(new Error('the upstream broke')))
            },
          }),
        ),
    }
    const { baseURL } = await serving(app => {
      app.use(toKoa(broken))
      return undefined
    })
    const answer = await complete(baseURL)
    await expect(answer.text()).rejects.toThrow()
  })
})

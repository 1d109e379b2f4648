import type { Gateway } from '@sluice/core'
import { toExpress } from '@sluice/express'
import compression from 'compression'
import cors from 'cors'
import type { Request as ExpressRequest } from 'express'
import helmet from 'helmet'
import { describe, expect, it, vi } from 'vitest'
import { expresses, mounted } from './mounts.ts'
import { authorized, complete, contentOf, during, firstEventMs, saying, testGateway } from './test-gateway.ts'

const large = 'word '.repeat(50_000)

describe.each(Object.entries(expresses))('%s', (name, express) => {
  /** An app that the test sets up, until the test ends. */
  const serving = (setUp: (app: ReturnType<typeof express>) => string | undefined) => {
    const app = express()
    return during(mounted(app, setUp(app) ?? '/v1'))
  }

  it('E1 is answered below its mount, and keeps the full URL', async () => {
    const urls: string[] = []
    const { gateway } = testGateway({
      authenticate: request => {
        urls.push(new URL(request.url).pathname + new URL(request.url).search)
        return { id: 'anyone' }
      },
    })
    const { baseURL, origin } = await serving(app => {
      app.use('/ai', toExpress(gateway))
      return '/ai/v1'
    })
    expect(
      (
        await fetch(`${baseURL}/chat/completions?a=1`, {
          method: 'POST',
          headers: authorized,
          body: saying('hi'),
        })
      ).status,
    ).toBe(200)
    expect(urls).toEqual(['/ai/v1/chat/completions?a=1'])
    expect((await fetch(`${origin}/AI/v1/models`)).status).toBe(200)
    expect((await fetch(`${origin}/v1/models`)).status).toBe(404)
  })

  it('E2 a mount that ends with /v1 is the base itself', async () => {
    const { gateway } = testGateway()
    const { baseURL, origin } = await serving(app => {
      app.use('/v1', toExpress(gateway))
      app.use('/deep/v1', toExpress(gateway))
      return '/deep/v1'
    })
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
    expect(await contentOf(await complete(`${origin}/v1`))).toBe('hello there')
  })

  const parsers = {
    'no parser': [],
    'express.json()': [express.json()],
    'express.raw()': [express.raw({ type: '*/*' })],
    'express.text()': [express.text({ type: '*/*' })],
    'a kept rawBody': [express.json({ verify: (req, _, buffer) => Object.assign(req, { rawBody: buffer }) })],
    'a parser that passes this type by': [
      express.json({ type: 'application/other' }),
      express.urlencoded({ extended: false }),
    ],
  }

  it.each(Object.entries(parsers))('E3 answers alike behind %s', async (_, before) => {
    const { gateway } = testGateway()
    const { baseURL } = await serving(app => {
      for (const parser of before) app.use(parser)
      app.use(toExpress(gateway))
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

  it('E4 answers 500 where the body was read and lost, and never hangs', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { gateway, model } = testGateway()
    const { baseURL } = await serving(app => {
      app.use(async (req, _, next) => {
        for await (const _ of req);
        next()
      })
      app.use(toExpress(gateway))
      return undefined
    })
    const answer = await complete(baseURL)
    expect([answer.status, (await answer.json()).error.type]).toEqual([500, 'server_error'])
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(model.calls).toHaveLength(0)
    warned.mockRestore()
  })

  it('E5 takes a large body when it is mounted before the parser', async () => {
    const { gateway } = testGateway()
    const { baseURL, origin } = await serving(app => {
      app.use(toExpress(gateway))
      app.use(express.json())
      app.use('/late', toExpress(gateway))
      return undefined
    })
    expect(await contentOf(await complete(baseURL, saying(large)))).toBe(large)
    const late = await complete(`${origin}/late/v1`, saying(large))
    expect(late.status).toBe(413)
    expect(await late.text()).toContain('PayloadTooLargeError')
  })

  it.each([
    ['as it is', { encoding: undefined }],
    ['where compression is asked for', { encoding: 'gzip' }],
  ])('E6 the first event comes within 100 ms through compression(), %s', async (_, { encoding }) => {
    const { gateway, model } = testGateway()
    const { baseURL } = await serving(app => {
      app.use(compression({ threshold: 0 }))
      app.use(toExpress(gateway))
      return undefined
    })
    expect(await firstEventMs(baseURL, { 'accept-encoding': encoding ?? 'identity' })).toBeLessThan(100)
    await vi.waitUntil(() => model.calls.every(({ signal }) => signal.aborted), { timeout: 500 })
  })

  it('E6 flushes a stream that compression() does compress', async () => {
    const { gateway } = testGateway()
    const transforming: Gateway = {
      ...gateway,
      fetch: async (input, init) => {
        const answer = await gateway.fetch(input, init)
        answer.headers.set('cache-control', 'no-cache')
        return answer
      },
    }
    const { baseURL } = await serving(app => {
      app.use(compression({ threshold: 0, filter: () => true }))
      app.use(toExpress(transforming))
      return undefined
    })
    const left = new AbortController()
    const answer = await complete(baseURL, saying('no second token', { stream: true }), {
      signal: left.signal,
    })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    const reader = answer.body!.getReader()
    let text = ''
    while (!text.includes('"no "')) text += Buffer.from((await reader.read()).value!).toString()
    left.abort()
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
  })

  it('E7 leaves the headers of helmet and cors alone, and preflights to cors', async () => {
    const { gateway } = testGateway()
    const { baseURL, origin } = await serving(app => {
      app.use('/with', helmet(), cors({ origin: 'https://page.example' }), toExpress(gateway))
      app.use('/without', toExpress(gateway))
      return '/with/v1'
    })
    for (const body of [saying('hi'), saying('hi', { stream: true }), '{}']) {
      const answer = await complete(baseURL, body, {
        headers: { ...authorized, origin: 'https://page.example' },
      })
      await answer.text()
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://page.example')
      expect(answer.headers.get('strict-transport-security')).toBeTruthy()
      expect(answer.headers.get('content-security-policy')).toBeTruthy()
      expect(answer.headers.get('vary')).toMatch(/origin/i)
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    }
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
    const preflight = (base: string) => fetch(`${base}/chat/completions`, { method: 'OPTIONS', headers })
    expect((await preflight(baseURL)).status).toBe(204)
    expect((await preflight(`${origin}/without/v1`)).status).toBe(405)
  })

  it('E8 believes a proxy as far as the app does', async () => {
    const urls: string[] = []
    const { gateway } = testGateway({
      authenticate: request => {
        urls.push(request.url)
        return { id: 'anyone' }
      },
    })
    const at = async (trust: boolean) => {
      const { baseURL } = await serving(app => {
        app.set('trust proxy', trust)
        app.use(toExpress(gateway))
        return undefined
      })
      await fetch(`${baseURL}/models`, { headers: { 'x-forwarded-proto': 'https' } })
    }
    await at(false)
    await at(true)
    expect(urls.map(url => new URL(url).protocol)).toEqual(['http:', 'https:'])
  })

  it('E9 no error of a request reaches the error handlers of the app', async () => {
    const { gateway } = testGateway()
    const failed = vi.fn()
    const { baseURL } = await serving(app => {
      app.use(toExpress(gateway))
      app.use((error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
        failed()
        next(error)
      })
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

  it('E10 what is not its path goes on to the app', async () => {
    const { gateway } = testGateway()
    const { origin } = await serving(app => {
      app.use(toExpress(gateway))
      app.use('/ai', toExpress(gateway))
      app.get('/users', (_, res) => void res.send('users'))
      app.get('/v1beta', (_, res) => void res.send('beta'))
      app.get('/ai/page', (_, res) => void res.send('page'))
      return undefined
    })
    for (const [path, text] of [
      ['/users', 'users'],
      ['/v1beta', 'beta'],
      ['/ai/page', 'page'],
    ]) {
      expect(await (await fetch(origin + path)).text()).toBe(text)
    }
    expect((await fetch(`${origin}/nothing`)).status).toBe(404)
  })

  it('E11 the identity comes from the host and goes back to it', async () => {
    const seen: unknown[] = []
    const { gateway } = testGateway({
      authenticate: (_, host) => ({ id: (host as ExpressRequest & { user: { id: string } }).user.id }),
    })
    const { baseURL } = await serving(app => {
      app.use((req, res, next) => {
        Object.assign(req, { user: { id: 'ada' } })
        res.once('finish', () => seen.push(res.locals.sluice))
        next()
      })
      app.use(toExpress(gateway))
      return undefined
    })
    expect((await complete(baseURL)).status).toBe(200)
    await expect.poll(() => seen.length).toBeGreaterThan(0)
    expect(seen).toEqual([{ id: 'ada' }])
  })

  it('E12 a rejection is answered, not left to the process', async () => {
    const { gateway } = testGateway()
    const broken: Gateway = { ...gateway, fetch: () => Promise.reject(new Error(`secret of ${name}`)) }
    const { baseURL } = await serving(app => {
      app.use(toExpress(broken))
      return undefined
    })
    const answer = await complete(baseURL)
    expect([answer.status, (await answer.json()).error.type]).toEqual([500, 'server_error'])
  })
})

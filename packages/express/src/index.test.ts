import { ConfigurationError, createGateway, type Gateway, models } from '@sluice/core'
import { local } from '@sluice/providers'
import express, { type Request as ExpressRequest, type RequestHandler } from 'express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { clientOf } from '../../../test/e2e/mounts/receive.ts'
import { toExpress } from './index.ts'

const seeing = (seen: unknown[]): Gateway => ({
  fetch: async (input, init) => {
    seen.push([(input as Request).url, (init as { mount?: string }).mount])
    return new Response('answered')
  },
  matches: (path, mount = '') => path.startsWith(`${mount}/v1/`),
  close: async () => {},
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

describe('toExpress', () => {
  it.each([[], [{}], [{ authenticate: () => undefined }], [{ fetch }]])(
    'refuses %s for a gateway',
    (...args) => {
      const mount = () => Reflect.apply(toExpress, undefined, args)
      expect(mount).toThrow(ConfigurationError)
      expect(mount).toThrow(/^toExpress\(\): got .*, expected a gateway/)
    },
  )

  it('gives the gateway the whole URL and where it is mounted', async () => {
    const seen: unknown[] = []
    const app = express()
    app.use('/api', toExpress(seeing(seen)))
    const client = await clientOf(app, get('/api/v1/models?x=1'))
    expect((await client.response())?.body).toBe('answered')
    expect(seen).toEqual([['http://a/api/v1/models?x=1', '/api']])
  })

  it('follows a middleware that has rewritten the URL', async () => {
    const seen: unknown[] = []
    const app = express()
    app.use('/api', (req, _, next) => {
      req.url = `/v1${req.url}`
      next()
    })
    app.use('/api', toExpress(seeing(seen)))
    const client = await clientOf(app, get('/api/models'))
    expect((await client.response())?.body).toBe('answered')
    expect(seen).toEqual([['http://a/api/v1/models', '/api']])
  })

  it('serves a single route', async () => {
    const app = express()
    app.get('/v1/models', toExpress(seeing([])))
    const client = await clientOf(app, get('/v1/models'))
    expect((await client.response())?.body).toBe('answered')
  })

  it('hands on what it does not answer, once', async () => {
    const app = express()
    let handed = 0
    app.use(toExpress(seeing([])), (_, res) => {
      handed++
      res.send('the app')
    })
    const client = await clientOf(app, `${get('/other')}OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect((await client.response())?.body).toBe('the app')
    await client.response()
    expect(handed).toBeGreaterThan(0)
  })

  it.each(['', '/ai'])("leaves HEAD of the mount '%s' to the application", async mount => {
    const gateway = createGateway({ authenticate: () => undefined, route: models({ m: local()('m') }) })
    const app = express()
    app.use(mount, toExpress(gateway))
    app.get(['/', '/ai', '/api/hello', '/ai/api/hello'], (_, res) => void res.set('x-app', 'own').send('own'))
    for (const path of [`${mount}/`, `${mount}/api/hello`]) {
      const client = await clientOf(app, `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      expect((await client.response('HEAD'))?.headers['x-app']).toBe('own')
    }
  })

  it('fits every gateway and every way to mount', () => {
    const app = express()
    const router = express.Router()
    const anyHost = seeing([])
    const expressHost: Gateway<ExpressRequest> = seeing([])
    app.use(toExpress(anyHost))
    app.use('/v1', toExpress(anyHost), toExpress(expressHost))
    app.post('/v1/chat/completions', toExpress(expressHost))
    app.all('/v1/*path', toExpress(anyHost))
    router.use(toExpress(expressHost))
    expectTypeOf(toExpress(anyHost)).toExtend<RequestHandler>()
    expectTypeOf(toExpress(expressHost)).toExtend<RequestHandler>()
    // @ts-expect-error: this gateway's `authenticate` wants another host's request
    toExpress(seeing([]) as unknown as Gateway<{ readonly ctx: string }>)
  })
})

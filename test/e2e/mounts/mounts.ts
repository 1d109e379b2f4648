import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import type { Gateway } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toKoa } from '@sluice/koa'
import { toNodeListener } from '@sluice/node'
import express5, { type Express } from 'express'
import express4 from 'express4'
import Koa3 from 'koa'
import mount from 'koa-mount'
import Koa2 from 'koa2'

/** A gateway that can be reached. */
export interface Mounted {
  /** What a client is given: it ends with `/v1`. */
  readonly baseURL: string
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly port: number
  close(): Promise<void>
}

export type Mount = (gateway: Gateway) => Promise<Mounted>

/** Listens on a free port; `base` is the path of the gateway there. */
export async function mounted(listener: RequestListener, base = '/v1'): Promise<Mounted> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { baseURL: origin + base, origin, port, close }
}

export const expresses = { 'express 4': express4, 'express 5': express5 }
export const koas = { 'koa 2': Koa2, 'koa 3': Koa3 }

type ExpressModule = typeof express5

/** Puts a gateway into an Express app and says at which path it is then. */
type ExpressPlace = (app: Express, gateway: Gateway, express: ExpressModule) => string

const expressPlaces: Record<string, ExpressPlace> = {
  '': (app, gateway) => {
    app.use(toExpress(gateway))
    return '/v1'
  },
  ' at /v1': (app, gateway) => {
    app.use('/v1', toExpress(gateway))
    return '/v1'
  },
  ' at /api/ai': (app, gateway) => {
    app.use('/api/ai', toExpress(gateway))
    return '/api/ai/v1'
  },
  ' in nested routers': (app, gateway, { Router }) => {
    const outer = Router()
    const inner = Router()
    inner.use('/ai', toExpress(gateway))
    outer.use('/:tenant', inner)
    app.use('/t', outer)
    return '/t/acme/ai/v1'
  },
}

/** Puts a gateway into a Koa app and says at which path it is then. */
type KoaPlace = (app: Koa3, gateway: Gateway) => string

const koaPlaces: Record<string, KoaPlace> = {
  '': (app, gateway) => {
    app.use(toKoa(gateway))
    return '/v1'
  },
  ' by koa-mount at /v1': (app, gateway) => {
    app.use(mount('/v1', toKoa(gateway)))
    return '/v1'
  },
  ' by nested koa-mount': (app, gateway) => {
    app.use(mount('/api', mount('/ai', toKoa(gateway))))
    return '/api/ai/v1'
  },
  ' by @koa/router': (app, gateway) => {
    const router = new Router()
    router.all('/v1/{*path}', toKoa(gateway))
    app.use(router.routes())
    return '/v1'
  },
  ' by @koa/router with a prefix': (app, gateway) => {
    const router = new Router({ prefix: '/t/:tenant/ai' })
    router.all('/{*path}', toKoa(gateway))
    app.use(router.routes()).use(router.allowedMethods())
    return '/t/acme/ai/v1'
  },
  ' by nested @koa/routers': (app, gateway) => {
    const inner = new Router()
    inner.all('/ai/v1/{*path}', toKoa(gateway))
    const outer = new Router({ prefix: '/api' })
    outer.use(inner.routes())
    app.use(outer.routes())
    return '/api/ai/v1'
  },
  ' by @koa/router under koa-mount': (app, gateway) => {
    const router = new Router()
    router.all('/ai/v1/{*path}', toKoa(gateway))
    app.use(mount('/api', router.routes()))
    return '/api/ai/v1'
  },
}

/** A Koa app that writes nothing to the log. */
export function quietKoa(Koa: typeof Koa3): Koa3 {
  const app = new Koa()
  app.silent = true
  return app
}

/** Middleware that an app has in front of its gateway. */
export interface InFront {
  readonly express: (app: Express, express: ExpressModule) => void
  readonly koa: (app: Koa3) => void
}

/** The mounts in an app, by name, behind middleware of that app. */
export function mountsBehind(before: InFront): Readonly<Record<string, Mount>> {
  return Object.fromEntries(everyAppMount(before))
}

function* everyMount(): Generator<readonly [string, Mount]> {
  yield ['node http', gateway => mounted(toNodeListener(gateway))]
  yield* everyAppMount({ express: () => {}, koa: () => {} })
}

function* everyAppMount(before: InFront): Generator<readonly [string, Mount]> {
  for (const [name, express] of Object.entries(expresses)) {
    for (const [place, put] of Object.entries(expressPlaces)) {
      yield [
        name + place,
        gateway => {
          const app = express()
          before.express(app, express)
          const base = put(app, gateway, express)
          return mounted(app, base)
        },
      ]
    }
  }
  for (const [name, Koa] of Object.entries(koas)) {
    for (const [place, put] of Object.entries(koaPlaces)) {
      yield [
        name + place,
        gateway => {
          const app = quietKoa(Koa)
          before.koa(app)
          const base = put(app, gateway)
          return mounted(app.callback(), base)
        },
      ]
    }
  }
}

/** Every way to mount a gateway in a server, by name: one suite runs over all of them. */
export const mounts: Readonly<Record<string, Mount>> = Object.fromEntries(everyMount())

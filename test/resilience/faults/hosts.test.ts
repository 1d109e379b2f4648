import { apiKeys, createGateway, type EndEvent, type Gateway, models } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toKoa } from '@sluice/koa'
import { toNodeListener } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import { chunks, readSse, sendRawRequest, sse, steps, type Upstream } from '@sluice/testing'
import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import type Koa from 'koa'
import mount from 'koa-mount'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expresses, koas, type Mounted, mounted, quietKoa } from '../../e2e/mounts/mounts.ts'
import { upstreamDuring } from './harness/upstream.ts'

interface Watched {
  readonly gateway: Gateway
  readonly ends: readonly EndEvent[]
}

function watched(upstream: Upstream): Watched {
  const ends: EndEvent[] = []
  const vendor = openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL, apiKey: 'k' })
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: models({ m: vendor('m') }),
    observe: event => void (event.type === 'end' && ends.push(event)),
  })
  return { gateway, ends }
}

/** A host until the test ends. */
async function during(starting: Promise<Mounted>, { gateway }: Watched): Promise<Mounted> {
  const host = await starting
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1_000 })
    await host.close()
  })
  return host
}

/** Asks, and expects one answer on the connection and nothing behind it. */
async function ask({ port }: Mounted, path: string, streamed = false, headers: Record<string, string> = {}) {
  const answer = await sendRawRequest({
    port,
    method: 'POST',
    path,
    headers: { authorization: 'Bearer good-key', connection: 'close', ...headers },
    body: { model: 'm', stream: streamed, messages: [{ role: 'user', content: 'Hi' }] },
  })
  expect(
    Buffer.from(answer.received)
      .toString('latin1')
      .match(/HTTP\/1\.1 \d/g),
  ).toHaveLength(1)
  return answer
}

const path = '/v1/chat/completions'
const begun = sse(chunks({ text: 'one two three' })).slice(0, 3)

describe('F94 mounted twice, under a prefix, behind a proxy, in hosts that fail after the answer has begun', () => {
  it('node http: two listeners of one gateway share nothing but the gateway', async () => {
    const upstream = await upstreamDuring()
    const service = watched(upstream)
    const [one, two] = [toNodeListener(service.gateway), toNodeListener(service.gateway)]
    const host = await during(
      mounted((req, res) => (req.headers['x-second'] === undefined ? one(req, res) : two(req, res))),
      service,
    )
    expect((await ask(host, path)).status).toBe(200)
    expect((await ask(host, path, false, { 'x-second': '1' })).status).toBe(200)
    expect(service.ends).toHaveLength(2)
  })

  describe.each(Object.entries(expresses))('%s', (_, express) => {
    /** An application with an error handler that counts and ends what it can. */
    async function app(service: Watched, put: (app: Express) => void) {
      const errors: unknown[] = []
      const it = express()
      put(it)
      const told: ErrorRequestHandler = (error, _req, res, next) => {
        errors.push(error)
        if (res.headersSent) next(error)
        else res.status(500).json({ host: true })
      }
      it.use(told)
      it.set('env', 'test')
      return { errors, host: await during(mounted(it), service) }
    }

    it('one gateway at several places answers each request once', async () => {
      const upstream = await upstreamDuring()
      const service = watched(upstream)
      const { host, errors } = await app(service, app => {
        app.set('trust proxy', true)
        app.use(toExpress(service.gateway))
        app.use(toExpress(service.gateway))
        app.use('/a', toExpress(service.gateway))
        app.use('/a', toExpress(service.gateway))
        app.use('/a/b', toExpress(service.gateway))
      })
      const forwarded = {
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
        'x-forwarded-prefix': '/x',
      }
      let asked = 0
      for (const place of ['', '/a', '/a/b']) {
        for (const headers of [{}, forwarded]) {
          expect((await ask(host, place + path, false, headers)).status).toBe(200)
          expect((await ask(host, place + path, true, headers)).status).toBe(200)
          asked += 2
        }
      }
      expect((await ask(host, `/x${path}`, false, forwarded)).status).toBe(404)
      expect(service.ends).toHaveLength(asked)
      expect(upstream.requests).toHaveLength(asked)
      expect(errors).toEqual([])
    })

    it('a stream that breaks off is no error of the host', async () => {
      const upstream = await upstreamDuring(steps.stream(begun))
      const service = watched(upstream)
      const { host, errors } = await app(service, app => app.use(toExpress(service.gateway)))
      const { chunks, done } = await readSse((await ask(host, path, true)).bytes)
      expect([chunks.at(-1), done]).toMatchObject([{ error: { code: 'bad_gateway' } }, false])
      expect(errors).toEqual([])
    })

    it.each([false, true])('a host that calls next(error) after the head was sent: %s', async streamed => {
      const upstream = await upstreamDuring([steps.stream(begun), steps.hang()])
      const service = watched(upstream)
      const { host, errors } = await app(service, app => {
        app.use((_req, res, next) => {
          const write = res.write
          // As a middleware does that fails while it looks on.
          res.write = ((...given: Parameters<typeof write>) => {
            res.write = write
            const written = write.apply(res, given)
            next(new Error('the host failed'))
            return written
          }) as typeof write
          next()
        })
        const own: RequestHandler = (_req, res) => void res.write('own')
        app.use(streamed ? toExpress(service.gateway) : own)
      })
      await ask(host, path, true).catch(() => {})
      expect(errors).toHaveLength(1)
      if (streamed) {
        await upstream.waitForClose()
        expect(service.ends).toMatchObject([{ outcome: 'client_disconnected' }])
      }
    })
  })

  describe.each(Object.entries(koas))('%s', (_, Koa) => {
    async function app(service: Watched, put: (app: Koa) => void) {
      const errors: unknown[] = []
      const it = quietKoa(Koa)
      it.on('error', error => errors.push(error))
      put(it)
      return { errors, host: await during(mounted(it.callback()), service) }
    }

    it('one gateway at several places answers each request once', async () => {
      const upstream = await upstreamDuring()
      const service = watched(upstream)
      const { host, errors } = await app(service, app => {
        app.proxy = true
        app.use(toKoa(service.gateway)).use(toKoa(service.gateway))
        app.use(mount('/a', toKoa(service.gateway))).use(mount('/a', toKoa(service.gateway)))
      })
      for (const place of ['', '/a'])
        expect((await ask(host, place + path, true, { 'x-forwarded-host': 'evil.test' })).status).toBe(200)
      expect(service.ends).toHaveLength(2)
      expect(upstream.requests).toHaveLength(2)
      expect(errors).toEqual([])
    })

    it.each([false, true])(
      'a host that takes the response by ctx.respond = false; streamed: %s',
      async streamed => {
        const upstream = await upstreamDuring(
          streamed ? [steps.stream(begun), steps.hang()] : steps.stream(begun),
        )
        const service = watched(upstream)
        const { host, errors } = await app(service, app => {
          app.use(async (ctx, next) => {
            await next()
            ctx.respond = false
            ctx.res.end(ctx.res.headersSent ? '' : 'own')
          })
          app.use(toKoa(service.gateway))
        })
        await ask(host, path, streamed)
        if (streamed) await upstream.waitForClose()
        expect(service.ends).toHaveLength(1)
        expect(errors).toEqual([])
      },
    )

    it('a host that throws after the answer was made: one answer, one error', async () => {
      const upstream = await upstreamDuring([steps.stream(begun), steps.hang()])
      const service = watched(upstream)
      const { host, errors } = await app(service, app => {
        app.use(async (_ctx, next) => {
          await next()
          throw new Error('the host failed')
        })
        app.use(toKoa(service.gateway))
      })
      expect(await ask(host, path, true)).toMatchObject({ status: 500, body: 'Internal Server Error' })
      await upstream.waitForClose()
      expect(service.ends).toHaveLength(1)
      expect(errors).toHaveLength(1)
    })
  })
})

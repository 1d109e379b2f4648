import { ConfigurationError, type Gateway } from '@sluice/core'
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import { clientOf } from '../../../test/e2e/mounts/receive.ts'
import { toKoa } from './index.ts'

const seeing = (seen: unknown[]): Gateway => ({
  fetch: async (input, init) => {
    seen.push([(input as Request).url, (init as { mount?: string }).mount])
    return new Response('answered')
  },
  matches: (path, mount = '') => path.startsWith(`${mount}/v1/`),
  close: async () => {},
})

describe('toKoa', () => {
  it.each([[], [{}], [{ authenticate: () => undefined }], [{ fetch }]])(
    'refuses %s for a gateway',
    (...args) => {
      const mount = () => Reflect.apply(toKoa, undefined, args)
      expect(mount).toThrow(ConfigurationError)
      expect(mount).toThrow(/^toKoa\(\): got .*, expected a gateway/)
    },
  )

  it('gives the gateway the whole URL', async () => {
    const seen: unknown[] = []
    const client = await clientOf(
      new Koa().use(toKoa(seeing(seen))).callback(),
      'GET /v1/models?x=1 HTTP/1.1\r\nHost: a\r\n\r\n',
    )
    expect((await client.response())?.body).toBe('answered')
    expect(seen).toEqual([['http://a/v1/models?x=1', '']])
  })

  it('fits every gateway and every way to mount', () => {
    const app = new Koa()
    const koaHost: Gateway<Koa.Context> = seeing([])
    app.use(toKoa(seeing([]))).use(toKoa(koaHost))
    // @ts-expect-error: this gateway's `authenticate` wants another host's request
    toKoa(seeing([]) as unknown as Gateway<{ readonly user: string }>)
  })
})

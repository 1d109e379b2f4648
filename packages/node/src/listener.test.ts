import type { IncomingMessage } from 'node:http'
import { apiKeys, ConfigurationError, createGateway, models } from '@sluice/core'
import type { FetchContext } from '@sluice/core/adapter'
import { local } from '@sluice/providers'
import { describe, expect, it, vi } from 'vitest'
import { clientOf } from '../../../test/e2e/mounts/receive.ts'
import { toNodeListener } from './listener.ts'

type Fetch = (request: Request, context: FetchContext<IncomingMessage>) => Promise<Response>

const get = 'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n'
const post = 'POST /v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'
const gatewayOf = (fetch: Fetch) => ({ fetch }) as unknown as Parameters<typeof toNodeListener>[0]

async function exchange(fetch: Fetch, text = get) {
  const client = await clientOf(toNodeListener(gatewayOf(fetch)), text)
  return (await client.response())!
}

describe('toNodeListener', () => {
  it.each([[], [{ authenticate: () => undefined }]])('refuses %s for a gateway', (...args) => {
    const mount = () => Reflect.apply(toNodeListener, undefined, args)
    expect(mount).toThrow(ConfigurationError)
    expect(mount).toThrow(/^toNodeListener\(\): got .*, expected a gateway/)
  })

  it.each([-1, Number.NaN, '5', null, 2 ** 31])('rejects the write timeout %s', writeStallMs => {
    const mount = () =>
      toNodeListener(
        gatewayOf(async () => new Response()),
        { writeStallMs: writeStallMs as never },
      )
    expect(mount).toThrow(ConfigurationError)
    expect(mount).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: ['writeStallMs'] })] }),
    )
  })

  it('hands over the request, the message as the host, and the body', async () => {
    const answer = await exchange(async (request, { host, mount, body }) => {
      let text = ''
      if (body?.kind === 'stream') for await (const piece of body.stream) text += piece
      return Response.json([request.url, host?.url, mount ?? null, text])
    }, post)
    expect(JSON.parse(answer.body)).toEqual(['http://a/v1', '/v1', null, 'hello'])
  })

  it.each([
    ['a rejection', () => Promise.reject(new Error('secret of /srv/app'))],
    [
      'a throw',
      () => {
        throw new Error('secret of /srv/app')
      },
    ],
    [
      'a body that was read',
      async () => {
        const used = new Response('secret')
        await used.text()
        return used
      },
    ],
    ['no response', async () => undefined as unknown as Response],
  ])('answers 500 in the protocol shape for %s', async (_, fetch) => {
    const answer = await exchange(fetch as Fetch)
    expect(answer.status).toBe(500)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
    expect(answer.json).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: null },
    })
    expect(answer.body).not.toMatch(/secret|\/srv|at /)
  })

  it.each([
    ['a bad Host', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    [
      'two Authorizations',
      'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
    ],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('answers 400 for %s and does not ask the gateway', async (_, text) => {
    const fetch = vi.fn<Fetch>()
    const answer = await exchange(fetch, text)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ error: { type: 'invalid_request_error', param: null, code: null } })
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(fetch).not.toHaveBeenCalled()
  })

  it('answers a request without a Host, which HTTP/1.0 allows', async () => {
    const answer = await exchange(async request => new Response(request.url), 'GET /x HTTP/1.0\r\n\r\n')
    expect(answer.body).toBe('http://localhost/x')
  })

  it('takes a body that the host has read from the message', async () => {
    const listener = toNodeListener(gatewayOf(async (_, { body }) => Response.json(body)))
    const client = await clientOf(async (req, res) => {
      for await (const _ of req);
      listener(Object.assign(req, { body: { read: true } }), res)
    }, post)
    expect((await client.response())?.json).toEqual({ kind: 'parsed', value: { read: true } })
  })

  it('answers 500 where the host lost the body, and tells the owner once', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    // A process is told once: another test may have been.
    vi.resetModules()
    const fresh = await import('./listener.ts')
    const listener = fresh.toNodeListener(gatewayOf(async () => new Response('never')))
    const client = await clientOf(async (req, res) => {
      for await (const _ of req);
      listener(req, res)
    }, post + post)
    expect((await client.response())?.status).toBe(500)
    expect((await client.response())?.status).toBe(500)
    expect(warned).toHaveBeenCalledOnce()
    expect(warned.mock.calls[0]?.[1]).toMatchObject({ code: 'SLUICE_BODY_LOST' })
    warned.mockRestore()
  })

  it('cuts the connection when a stream breaks', async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from('one'))
        return Promise.resolve().then(() => controller.error(new Error('secret')))
      },
    })
    const answer = await exchange(async () => new Response(broken))
    expect(answer).toMatchObject({ status: 200, complete: false })
  })
})

describe('a gateway alone on a server', () => {
  const gateway = () =>
    createGateway({
      authenticate: apiKeys([{ id: 'ann', key: 'sk-ann' }]),
      route: models({ m: local()('m') }),
    })
  const send = async (text: string) => (await (await clientOf(toNodeListener(gateway()), text)).response())!

  it.each(['/', '/api/hello', '/?probe=1'])(
    'answers HEAD %s without a key and without a body',
    async path => {
      const client = await clientOf(
        toNodeListener(gateway()),
        `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
      await client.waitForEnd()
      const answer = new TextDecoder().decode(client.received)
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(answer).toMatch(/\r\nx-request-id: req_/)
      expect(answer.endsWith('\r\n\r\n')).toBe(true)
    },
  )

  it('leaves GET / and others a 404', async () => {
    expect((await send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(404)
  })

  it.each([
    ['X-Api-Key: sk-ann', 200],
    ['Authorization: Bearer sk-ann\r\nX-Api-Key: sk-bob', 200],
    ['Authorization: Bearer sk-bob\r\nX-Api-Key: sk-ann', 401],
    ['X-Api-Key: sk-ann\r\nX-Api-Key: sk-ann', 400],
  ])('takes the key of %j', async (headers, status) => {
    const answer = await send(`GET /v1/models HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`)
    expect(answer.status).toBe(status)
  })
})

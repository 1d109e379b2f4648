import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, models, withCors } from '@sluice/core'
import { local } from '@sluice/providers'
import express from 'express'
import express4 from 'express4'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyParserErrors, toExpress } from './index.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

it('refuses what is no gateway', () => {
  expect(() => bodyParserErrors(undefined as never)).toThrow(
    'bodyParserErrors(): got undefined, expected a gateway, as createGateway({ ... }) returns it.',
  )
})

it.each([['/t/:tenant'], ['/ai/{*path}'], [/ai/], ['https://host/ai']])('refuses the mount %s', mount => {
  const gateway = createGateway({ authenticate: () => ({ id: 'a' }), route: models({ m: local()('m') }) })
  expect(() => bodyParserErrors(gateway, mount as string)).toThrow(
    /^bodyParserErrors\(\): mount: got .*, expected a path without patterns, such as '\/api\/ai'/,
  )
})

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('bodyParserErrors in %s', (_, host) => {
  async function posting(mount = '/ai') {
    const gateway = withCors(
      createGateway({ authenticate: () => ({ id: 'a' }), route: models({ m: local()('m') }) }),
      { origins: ['https://app.test'] },
    )
    const app = host()
    app.use(host.json({ limit: 100 }))
    app.use(bodyParserErrors(gateway, mount))
    app.use(mount === '/' ? mount : '/ai', toExpress(gateway))
    app.use((_error: unknown, _req: unknown, res: express.Response, _next: unknown) => {
      res.status(418).send("the application's own")
    })
    const server = app.listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise(resolve => server.once('listening', resolve))
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

  it.each([
    [
      'a body that is too large',
      JSON.stringify({ text: 'x'.repeat(200) }),
      {},
      413,
      /limit \(100\) exceeded/,
    ],
    ['a body that is no JSON', '{', {}, 400, /could not parse the JSON body/],
    ['a charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 400, /plain UTF-8/],
  ])('answers for %s in the shape of the protocol', async (_, body, headers, status, message) => {
    const response = await (await posting())(
      '/ai/v1/chat/completions',
      body,
      headers as Record<string, string>,
    )
    expect(response.status).toBe(status)
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

  it('answers in the shape of the Messages API on its paths', async () => {
    const response = await (await posting())(
      '/ai/v1/messages?beta=true',
      JSON.stringify({ text: 'x'.repeat(200) }),
    )
    expect(response.status).toBe(413)
    const id = response.headers.get('request-id')
    expect(id).toMatch(/^req_/)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'request_too_large', message: expect.stringMatching(/limit \(100\) exceeded/) },
      request_id: id,
    })
  })

  it('answers for a gateway of its own that shapes no errors', async () => {
    const app = host()
    app.use(host.json({ limit: 100 }))
    app.use(bodyParserErrors({ matches: () => true }))
    const server = app.listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise(resolve => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: null } }])
  })

  it('lets a page of an allowed origin read the error', async () => {
    const headers = { origin: 'https://app.test' }
    const response = await (await posting())('/ai/v1/chat/completions', '{', headers)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
  })

  it('counts the bytes of a body that is sent in chunks', async () => {
    const post = await posting()
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`"${'x'.repeat(200)}"`))
        controller.close()
      },
    })
    const response = await post('/ai/v1/chat/completions', chunks)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({
      error: { message: 'Maximum content size limit (100) exceeded (202 bytes read)' },
    })
  })

  it.each([['/ai/'], ['ai'], ['ai/'], ['/']])('takes the mount %s', async mount => {
    const post = await posting(mount)
    const prefix = mount === '/' ? '' : '/ai'
    expect((await post(`${prefix}/v1/chat/completions`, '{')).status).toBe(400)
    expect((await post('/own', '{')).status).toBe(418)
  })

  it("leaves the application's own paths to its own handler", async () => {
    expect((await (await posting())('/own', '{')).status).toBe(418)
  })

  it('lets sound requests through', async () => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
    expect((await (await posting())('/ai/v1/chat/completions', body)).status).toBe(200)
  })
})

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { ConfigurationError, type Gateway } from '@sluice/core'
import { connectRawClient } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serve } from './serve.ts'
import type { ServeOptions } from './serving.ts'

type Fetch = Gateway<IncomingMessage>['fetch']

const get = 'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n'

async function serving(fetch: Fetch, options: ServeOptions = {}, close: Gateway['close'] = async () => {}) {
  const gateway: Gateway<IncomingMessage> = { fetch, matches: () => true, close }
  const service = await serve(gateway, { port: 0, signals: false, ...options })
  onTestFinished(() => service.close())
  const connect = async (text: string) => {
    const client = await connectRawClient({ port: service.port })
    onTestFinished(() => client.close())
    await client.send(text)
    return client
  }
  return { service, connect }
}

describe('serve', () => {
  it('listens and answers', async () => {
    const { service, connect } = await serving(async () => new Response('hello'))
    expect(service.url).toBe(`http://127.0.0.1:${service.port}`)
    expect(await (await fetch(`${service.url}/v1/models`)).text()).toBe('hello')
    const client = await connect(get + get)
    expect((await client.response())?.body).toBe('hello')
    expect((await client.response())?.body).toBe('hello')
  })

  it('says which port it cannot have', async () => {
    const { service } = await serving(async () => new Response())
    await expect(serving(async () => new Response(), { port: service.port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${service.port}: another program uses that port`,
    )
    await expect(serving(async () => new Response(), { host: '192.0.2.1' })).rejects.toThrow(
      'cannot listen on 192.0.2.1',
    )
  })

  it.each([-1, 1.5, 65_536, Number.NaN, '80' as never])('refuses the port %s', async port => {
    const started = serving(async () => new Response(), { port })
    await expect(started).rejects.toBeInstanceOf(ConfigurationError)
    await expect(started).rejects.toMatchObject({ issues: [{ path: ['port'] }] })
  })

  it('says how a port of text becomes a number', async () => {
    await expect(serving(async () => new Response(), { port: '3000' as never })).rejects.toThrow(
      "serve(): port: got '3000', expected a whole number from 0 to 65535, such as Number(process.env.PORT).",
    )
  })

  it.each([[], [{ authenticate: () => undefined }], [{ fetch }]])(
    'refuses %s for a gateway',
    async (...args) => {
      const started = Reflect.apply(serve, undefined, args)
      await expect(started).rejects.toThrow(/^serve\(\): got .*, expected a gateway/)
      await expect(started).rejects.toBeInstanceOf(ConfigurationError)
    },
  )

  it('lets running answers end, refuses new ones on old connections, and closes all', async () => {
    const finish: (() => void)[] = []
    let closing = false
    const { service, connect } = await serving(
      async () => {
        if (closing) return new Response('closing', { status: 503 })
        return new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(Buffer.from('one'))
              finish.push(() => {
                controller.enqueue(Buffer.from('two'))
                controller.close()
              })
            },
          }),
        )
      },
      {},
      async () => {
        closing = true
        await once(service.server, 'answer-ended')
      },
    )
    const running = await connect(get)
    await running.waitFor('one')
    const idle = await connectRawClient({ port: service.port })
    onTestFinished(() => idle.close())
    await idle.send(get)
    await idle.waitFor('one')
    const closed = service.close()
    expect(service.close()).toBe(closed)
    await running.send(get)
    for (const one of finish) one()
    const [first, second] = [await running.response(), await running.response()]
    expect([first?.body, first?.complete]).toEqual(['onetwo', true])
    expect([second?.status, second?.headers.connection]).toEqual([503, 'close'])
    service.server.emit('answer-ended')
    await closed
    expect(await idle.waitForEnd()).toBe('end')
    await expect(connectRawClient({ port: service.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('cuts what is left when answers had to end, although the gateway has closed', async () => {
    const { service, connect } = await serving(async () => new Response(new ReadableStream()))
    const client = await connect(get)
    await client.waitFor('200 OK')
    await service.close({ drainMs: 100 })
    expect(await client.waitForEnd()).toBeDefined()
  })

  it('tells a client that waits for it to go on only when the body is read', async () => {
    const { connect } = await serving(async (request, init) => {
      if ((request as Request).headers.get('authorization') === null)
        return new Response('who?', { status: 401 })
      const { body } = init as { body: { stream: AsyncIterable<Uint8Array> } }
      let text = ''
      for await (const piece of body.stream) text += piece
      return new Response(text)
    })
    const expecting = (more: string) =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n${more}\r\n`
    const stranger = await connect(expecting(''))
    const refused = await stranger.response()
    expect([refused?.status, refused?.interim, refused?.headers.connection]).toEqual([401, [], 'close'])
    const known = await connect(expecting('Authorization: Bearer a\r\n'))
    await known.waitFor('100 Continue')
    await known.send('hello')
    expect(await known.response()).toMatchObject({ status: 200, body: 'hello', interim: [100] })
  })

  const gateway: Gateway<IncomingMessage> = {
    fetch: async () => new Response(),
    matches: () => true,
    close: async () => {},
  }

  it.each([0, -1, 1.5, 1_025, 'all', '2', null])('refuses %j workers', async workers => {
    await expect(serve(gateway, { port: 0, workers: workers as never })).rejects.toThrow(
      /serve\(\): workers: got .*, expected a whole number from 1 to 1024, or 'auto'/,
    )
  })

  it('serves alone with one worker', async () => {
    const serving = await serve(gateway, { port: 0, workers: 1, signals: false })
    onTestFinished(() => serving.close({ drainMs: 0 }))
    expect([serving.role, serving.workers, serving.ready, serving.server?.listening]).toEqual([
      'single',
      1,
      true,
      true,
    ])
    await expect(serving.reload()).rejects.toThrow("reload: this process is 'single', expected 'primary'.")
  })
})

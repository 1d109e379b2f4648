import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createGateway, models, type Target } from '@sluice/core'
import type { PartialChunk } from '@sluice/core/provider'
import { connectRawClient, type RawClient, requestBytes } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serve } from './serve.ts'
import type { ServeOptions, Serving } from './serving.ts'

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }
const get = 'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n'
const text = (content: string): PartialChunk => ({ choices: [{ index: 0, delta: { content } }] })
const stop: PartialChunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

/** A service whose streams give a word, and the rest when they are let go; whole answers wait for that, too. */
async function serving(options: ServeOptions = {}, first = 'one', whole = 'whole') {
  let go = () => {}
  let asked = 0
  const gone = new Promise<void>(resolve => {
    go = resolve
  })
  const target: Target = {
    model: 'up',
    provider: {
      name: 'held',
      encode: () => ({ method: 'POST', url: 'held:', headers: {} }),
      transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
      decode: async (_, { input }) => {
        asked++
        if (input.stream === true) return { kind: 'stream', chunks: words() }
        await gone
        const choices = [{ index: 0, message: { content: whole }, finish_reason: 'stop' as const }]
        return { kind: 'completion', completion: { choices } }
      },
    },
  }
  async function* words() {
    yield [text(first)]
    await gone
    yield [text('two')]
    yield [stop]
  }
  const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route: models({ m: target }) })
  const service = await serve(gateway, { port: 0, signals: false, ...options })
  onTestFinished(async () => {
    go()
    await service.close({ drainMs: 0 })
  })
  const connect = async (sent?: string | Uint8Array, paused = false) => {
    const client = await connectRawClient({ port: service.port, paused })
    onTestFinished(() => client.close())
    if (sent !== undefined) await client.send(sent)
    return client
  }
  const askedFor = (count: number) => expect.poll(() => asked).toBe(count)
  return { service, connect, askedFor, go: () => go() }
}

const post = (more: object = {}) => requestBytes({ body: { ...chat, ...more } })
const closes = (answer: Awaited<ReturnType<RawClient['response']>>) => [
  answer?.status,
  answer?.headers.connection,
  answer?.complete,
]

describe('serve, as it closes', () => {
  it('is not ready from then on', async () => {
    const { service } = await serving()
    expect(service.ready).toBe(true)
    const closed = service.close()
    expect(service.ready).toBe(false)
    await closed
    expect(service.ready).toBe(false)
  })

  it('accepts requests for its delay, although it is not ready', async () => {
    const { service, connect, go } = await serving()
    go()
    const open = await connect(get)
    await open.response()
    const closed = service.close({ delayMs: 60_000 })
    expect(service.ready).toBe(false)
    await open.send(get)
    const during = await open.response()
    expect([during?.status, during?.headers.connection]).toEqual([200, 'keep-alive'])
    expect((await (await connect(post())).response())?.status).toBe(200)
    // A call without a delay ends it.
    await Promise.all([service.close({ drainMs: 1_000 }), closed])
    expect(service.server.listening).toBe(false)
  })

  it('closes after its delay', async () => {
    const { service, connect } = await serving()
    await (await connect(get)).response()
    const from = performance.now()
    await service.close({ delayMs: 50 })
    expect(performance.now() - from).toBeGreaterThanOrEqual(49)
    await expect(service.close({ delayMs: -1 })).rejects.toThrow(/delayMs/)
  })

  it('says with each answer that begins from then on that its connection closes', async () => {
    const { service, connect, askedFor, go } = await serving()
    const [waiting, streaming, idle] = [
      await connect(post()),
      await connect(post({ stream: true })),
      await connect(get),
    ]
    await streaming.waitFor('one')
    await idle.response()
    await askedFor(2)
    const closed = service.close()
    await idle.send(get)
    expect(closes(await idle.response())).toEqual([503, 'close', true])
    await streaming.send(get)
    go()
    expect(closes(await waiting.response())).toEqual([200, 'close', true])
    expect((await streaming.response())?.body).toContain('[DONE]')
    expect(closes(await streaming.response())).toEqual([503, 'close', true])
    await closed
    for (const client of [waiting, streaming, idle]) expect(await client.waitForEnd()).toBe('end')
  })

  it('answers all that came one behind the other, and says it with the last', async () => {
    const { service, connect, askedFor, go } = await serving()
    const client = await connect(Buffer.concat([post(), post()]))
    await askedFor(2)
    const closed = service.close()
    go()
    expect((await client.response())?.headers.connection).not.toBe('close')
    expect(closes(await client.response())).toEqual([200, 'close', true])
    expect(await client.waitForEnd()).toBe('end')
    await closed
  })

  it('answers a request that crosses with its closing on an idle connection, and resets none', async () => {
    const { service, connect } = await serving()
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect(get)))
    for (const client of clients) expect((await client.response())?.status).toBe(200)
    const sent = clients.map(client => client.send(get))
    const closed = service.close()
    await Promise.all(sent)
    for (const client of clients) expect(closes(await client.response())).toEqual([503, 'close', true])
    for (const client of clients) expect(await client.waitForEnd()).toBe('end')
    await closed
  })

  it('ends idle connections at once where nothing runs', async () => {
    const { service, connect } = await serving()
    const used = await connect(get)
    await used.response()
    const unused = await connect()
    const from = performance.now()
    const closed = service.close()
    expect([await used.waitForEnd(), await unused.waitForEnd()]).toEqual(['end', 'end'])
    await Promise.all([used.close(), unused.close(), closed])
    expect(performance.now() - from).toBeLessThan(900)
  })

  it('waits for the rest of a body, and answers', async () => {
    const { service, connect, go } = await serving()
    const bytes = post()
    const arrived = once(service.server, 'request')
    const client = await connect(bytes.subarray(0, -20))
    await arrived
    const closed = service.close()
    await client.send(bytes.subarray(-20))
    go()
    expect(closes(await client.response())).toEqual([200, 'close', true])
    await closed
  })

  it('answers a head of which the rest comes within a second', async () => {
    const { service, connect } = await serving()
    const client = await connect(get.slice(0, 20))
    await expect.poll(() => connections(service.server)).toBe(1)
    const closed = service.close()
    await client.send(get.slice(20))
    expect(closes(await client.response())).toEqual([503, 'close', true])
    await closed
  })

  it('cuts off who sends half a head and no more, a second after the answers had to end', async () => {
    const { service, connect } = await serving()
    const client = await connect(get.slice(0, 20))
    await expect.poll(() => connections(service.server)).toBe(1)
    await expectEnd(service, 100)
    expect(await client.waitForEnd()).toBeDefined()
  })

  it('cuts off who never reads, a second after the answers had to end', async () => {
    const { service, connect, askedFor } = await serving({}, 'x'.repeat(2 ** 24))
    const client = await connect(post({ stream: true }), true)
    await askedFor(1)
    await expectEnd(service, 100)
    client.resume()
    expect(await client.waitForEnd()).toBeDefined()
  })

  it('lets a client read its answer to the end for as long as answers may take', async () => {
    const { service, connect, askedFor, go } = await serving({}, 'one', 'x'.repeat(2 ** 25))
    const slow = await connect(post(), true)
    const half = await connect(get.slice(0, 20))
    await askedFor(1)
    go()
    const closed = service.close({ drainMs: 60_000 })
    // From then on nothing is waited for but answers.
    await half.waitForEnd()
    slow.resume()
    expect(closes(await slow.response())).toEqual([200, 'close', true])
    await closed
  })

  it('ends answers sooner where it is asked again', async () => {
    const { service, connect, askedFor } = await serving()
    const client = await connect(post())
    await askedFor(1)
    const closed = service.close()
    await expectEnd(service, 0)
    expect((await client.response())?.status).toBe(503)
    await closed
  })

  it('answers on connections that wait to be taken', async () => {
    const { service } = await serving()
    const clients = await Promise.all(
      Array.from({ length: 300 }, () => connectRawClient({ port: service.port })),
    )
    const sent = clients.map(client => client.send(get))
    const closed = service.close()
    await Promise.all(sent)
    const answers = await Promise.all(clients.map(client => client.response()))
    expect(answers.map(answer => answer?.status)).toEqual(clients.map(() => 503))
    await Promise.all(clients.map(client => client.close()))
    await closed
  })

  it('answers a request for an upgrade like any other, and closes what was upgraded by others', async () => {
    const key = createHash('sha1').update('key').digest('base64')
    const upgrade = `GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${key}\r\n\r\n`
    const plain = await serving()
    const client = await plain.connect(upgrade)
    expect((await client.response())?.status).toBe(200)
    const closed = plain.service.close()
    await client.send(upgrade)
    expect(closes(await client.response())).toEqual([503, 'close', true])
    await closed

    const { service, connect } = await serving()
    service.server.on('upgrade', (_, socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    })
    const upgraded = await connect(upgrade)
    await upgraded.waitFor('101')
    await expectEnd(service, 100)
    expect(await upgraded.waitForEnd()).toBeDefined()
  })

  it('takes no new connection', async () => {
    const { service, connect, go } = await serving()
    const client = await connect(post({ stream: true }))
    await client.waitFor('one')
    const closed = service.close()
    await expect.poll(() => service.server.listening).toBe(false)
    await expect(connectRawClient({ port: service.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    go()
    await client.response()
    await closed
  })

  it('refuses a span of time that is none, and goes on', async () => {
    const { service, connect } = await serving()
    for (const drainMs of [-1, Number.NaN, '1' as never]) {
      await expect(service.close({ drainMs })).rejects.toThrow(/^close\(\): drainMs: got/)
    }
    expect(service.ready).toBe(true)
    expect((await (await connect(get)).response())?.status).toBe(200)
  })

  it("tells its server's listeners of the end once", async () => {
    const { service } = await serving()
    const heard = vi.fn()
    service.server.on('close', heard)
    const ended = once(service.server, 'close')
    await service.close()
    await ended
    await new Promise(resolve => setImmediate(resolve))
    expect(heard).toHaveBeenCalledTimes(1)
  })
})

function connections(server: {
  getConnections(told: (error: Error | null, count: number) => void): unknown
}) {
  return new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

/** That a service ends a second after its answers have to, at the latest. */
async function expectEnd(service: Serving, drainMs: number): Promise<void> {
  const from = performance.now()
  await service.close({ drainMs })
  // And what a busy machine takes.
  expect(performance.now() - from).toBeLessThan(drainMs + 1_000 + 700)
}

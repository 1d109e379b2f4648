import { afterEach, expect, test } from 'vitest'
import { findClosedPort } from './closed-port.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { connectRawClient } from './raw-client.ts'
import { sendRawRequest } from './raw-request.ts'
import { requestBytes } from './request-text.ts'
import type { Script } from './script.ts'
import { body, cut, flood, hang, head, reply, reset } from './steps.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const opened: { close(): Promise<void> }[] = []

async function proxied(
  ...scripts: Script[]
): Promise<{ proxy: FaultProxy; upstream: Upstream; port: number }> {
  const upstream = await startUpstream(...scripts)
  const proxy = await startFaultProxy({ target: { port: upstream.port } })
  opened.push(proxy, upstream)
  return { proxy, upstream, port: proxy.port }
}

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const big = 'x'.repeat(20_000)

test('passes everything and counts it', async () => {
  const { proxy, upstream, port } = await proxied(({ json }) => reply({ got: json }))
  const answer = await sendRawRequest({ port, body: { a: big } })
  expect(answer.json).toEqual({ got: { a: big } })
  await proxy.waitForIdle()
  expect(proxy.bytes.up).toBe(requestBytes({ body: { a: big } }).length)
  expect(proxy.bytes.down).toBe(answer.received.length)
  expect(proxy.connections).toEqual({ open: 0, total: 1 })
  await upstream.waitForIdle()
})

test.each(['up', 'down', undefined] as const)('delay %s', async direction => {
  const { proxy, port } = await proxied(reply({}))
  proxy.set({ delay: 60 }, direction)
  const started = performance.now()
  await sendRawRequest({ port })
  const ms = performance.now() - started
  expect(ms).toBeGreaterThan(direction ? 55 : 115)
  proxy.set({ delay: 30_000 })
  proxy.set({})
  await sendRawRequest({ port })
})

test('throttle', async () => {
  const { proxy, port } = await proxied(reply('x'.repeat(1900), { headers: { 'content-type': null } }))
  proxy.set({ throttle: 10_000 }, 'down')
  const started = performance.now()
  expect((await sendRawRequest({ port })).body).toHaveLength(1900)
  expect(performance.now() - started).toBeGreaterThan(180)
})

test('split: the same bytes in many writes', async () => {
  const { proxy, port } = await proxied(reply('0123456789'))
  proxy.set({ split: 'bytes' })
  expect((await sendRawRequest({ port, body: { a: 1 } })).body).toBe('0123456789')
  proxy.set({ split: { seed: 1, max: 5 } })
  expect((await sendRawRequest({ port, body: { a: 1 } })).body).toBe('0123456789')
})

test('freeze holds bytes on an open connection until it is mended', async () => {
  const { proxy, upstream, port } = await proxied(reply({ n: 1 }))
  const client = await connectRawClient({ port })
  proxy.set({ freeze: true }, 'down')
  await client.send(requestBytes({}))
  await upstream.waitForRequest()
  await expect(client.waitFor(1, 80)).rejects.toThrow('got 0 bytes')
  proxy.set({}, 'down')
  expect((await client.response())?.json).toEqual({ n: 1 })
  await client.close()
})

test('freeze up keeps the request from the target', async () => {
  const { proxy, upstream, port } = await proxied()
  proxy.set({ freeze: true }, 'up')
  const client = await connectRawClient({ port })
  await client.send(requestBytes({}))
  await expect(upstream.waitForRequest(1, 80)).rejects.toThrow('got 0 requests')
  proxy.set({}, 'up')
  await upstream.waitForRequest()
  await client.close()
})

test('reset closes both sides of open connections by reset', async () => {
  const { proxy, upstream, port } = await proxied([head(), body('a'), hang()])
  const client = await connectRawClient({ port })
  await client.send(requestBytes({}))
  await client.waitFor('a')
  const closed = upstream.waitForClose()
  proxy.reset()
  expect(await client.waitForEnd()).toBe('reset')
  await closed
  await client.close()
})

test('resetAfter and halfCloseAfter act at their byte', async () => {
  const { proxy, port } = await proxied(reply(big))
  proxy.set({ resetAfter: 1000 }, 'down')
  const first = await connectRawClient({ port })
  await first.send(requestBytes({}))
  await first.waitForEnd()
  expect(first.received.length).toBeLessThanOrEqual(1000)
  await first.close()
  proxy.set({ halfCloseAfter: 1000 }, 'down')
  const second = await connectRawClient({ port })
  await second.send(requestBytes({}))
  expect(await second.waitForEnd()).toBe('end')
  expect(second.received).toHaveLength(1000)
  expect(await second.response()).toMatchObject({ complete: false })
  await second.close()
})

test('halfClose sends FIN one way', async () => {
  const { proxy, upstream, port } = await proxied(hang())
  const client = await connectRawClient({ port })
  await client.send(requestBytes({}))
  await upstream.waitForRequest()
  proxy.halfClose('down')
  expect(await client.waitForEnd()).toBe('end')
  expect(upstream.connections.open).toBe(1)
  const closed = upstream.waitForClose()
  proxy.halfClose('up')
  await closed
  await client.close()
})

test('refuse resets new connections only', async () => {
  const { proxy, upstream, port } = await proxied(reply({}))
  const old = await connectRawClient({ port })
  await old.send(requestBytes({}))
  await old.response()
  proxy.refuse(true)
  await expect(sendRawRequest({ port })).rejects.toThrow()
  await old.send(requestBytes({}))
  expect((await old.response())?.status).toBe(200)
  await old.close()
  proxy.refuse(false)
  await sendRawRequest({ port })
  expect(upstream.requests).toHaveLength(3)
})

test('what one side does, the other sees: FIN, reset, leaving, a refusing target', async () => {
  const { upstream, port } = await proxied(
    [head(), body('a'), cut()],
    [head(), body('a'), reset({ after: 30 })],
    hang(),
  )
  for (const end of ['end', 'reset']) {
    const client = await connectRawClient({ port })
    await client.send(requestBytes({}))
    expect(await client.waitForEnd()).toBe(end)
    await client.close()
  }
  for (const [index, how] of (['close', 'reset'] as const).entries()) {
    const client = await connectRawClient({ port })
    await client.send(requestBytes({}))
    await upstream.waitForRequest(3 + index)
    const closed = upstream.waitForClose()
    await client[how]()
    expect(await closed).toBeLessThan(1000)
    await client.close()
  }
  const broken = await startFaultProxy({ target: { port: await findClosedPort() } })
  opened.push(broken)
  const client = await connectRawClient({ port: broken.port })
  expect(await client.waitForEnd()).toBe('reset')
  await client.close()
})

test('a client that does not read stops the target’s writes through the proxy', async () => {
  const { upstream, proxy, port } = await proxied(flood())
  const client = await connectRawClient({ port, paused: true })
  await client.send(requestBytes({}))
  await upstream.waitForRequest()
  let last = -1
  await expect
    .poll(
      () => {
        const same = last === upstream.bytesWritten
        last = upstream.bytesWritten
        return same
      },
      { interval: 100, timeout: 10_000 },
    )
    .toBe(true)
  expect(proxy.bytes.down).toBeGreaterThan(10_000)
  expect(proxy.bytes.down).toBeLessThan(last + 1)
  await client.close()
})

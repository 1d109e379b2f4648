import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve, toNodeListener } from '@sluice/node'
import { describe, expect, it } from 'vitest'
import { type Mount, mounts } from '../../e2e/mounts/mounts.ts'
import { answersOn, connected, headOf, wholeRequest } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overHosts, served } from './harness/served.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

describe('F11 a head or a body that comes byte by byte', () => {
  it.each(['head', 'body'])('has an end by the clock of the server: a slow %s', async part => {
    const upstream = await upstreamDuring()
    const { gateway, site, events } = await startService(
      async gateway => {
        const clock = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }
        const server = createServer(clock, toNodeListener(gateway)).listen(0, '127.0.0.1')
        await once(server, 'listening')
        const { port } = server.address() as AddressInfo
        const close = async () => {
          server.closeAllConnections()
          server.close()
        }
        return { baseURL: `http://127.0.0.1:${port}/v1`, origin: '', port, close }
      },
      { models: { m: upstream } },
    )
    const client = await connected(site)
    const text = part === 'head' ? headOf(site) : wholeRequest(site)
    const sending = client.send(text, { split: 'bytes', delay: 20 }).catch(() => {})
    await client.waitForEnd()
    expect((await client.response())?.status).toBe(408)
    expect([answersOn(client), upstream.requests.length, events.length]).toEqual([1, 0, 0])
    await client.close()
    await sending
    expect(gateway.matches('/v1')).toBe(true)
  })

  it('has an end where `serve` is the server: it keeps the clock of Node', async () => {
    const upstream = await upstreamDuring()
    const { gateway } = await startService(served, { models: { m: upstream } })
    const { server, close } = await serve(gateway, { port: 0, signals: false })
    await close()
    expect([server.headersTimeout, server.requestTimeout]).toEqual([60_000, 300_000])
  })

  overHosts(mount => {
    it.each([
      ['with its length', 'Content-Length: 60000'],
      ['in chunks', 'Transfer-Encoding: chunked'],
    ])(
      'is a 408 when the deadline of the body is over, and the last of its connection, %s',
      async (_, line) => {
        const { client, leave } = await dripping(mount, line)
        client.halfClose()
        await client.waitForEnd()
        expect(answersOn(client)).toBe(1)
        await leave()
      },
    )

    it('waits for nobody who has left', async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const client = await connected(site, `${headOf(site, 'Content-Length: 100')}{"model"`)
      client.reset()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', attempts: [] })
      expect(upstream.requests).toHaveLength(0)
    })
  })

  describe.each(['serve', 'koa 3'])('%s', name => {
    it('is not read on for longer than five seconds', async () => {
      const { client, leave } = await dripping(mounts[name] ?? served, 'Content-Length: 60000')
      await client.waitForEnd(8_000)
      expect(answersOn(client)).toBe(1)
      await leave()
    })
  })
})

/** A client whose body comes at 20 bytes a second, when it has got its answer. */
async function dripping(mount: Mount, line: string) {
  const upstream = await upstreamDuring()
  const { site, end } = await startService(mount, {
    models: { m: upstream },
    requestLimits: { deadlineMs: 300 },
  })
  const client = await connected(site, headOf(site, line))
  const start = performance.now()
  const sending = client.send('1\r\n \r\n'.repeat(1_000), { split: 'bytes', delay: 50 }).catch(() => {})
  const answer = await client.response()
  expect(performance.now() - start).toBeGreaterThanOrEqual(299)
  if (answer === undefined) throw new Error('The connection ended before an answer.')
  expectRefusal({ ...answer, received: client.received }, 408, { code: 'request_timeout' })
  expect(answer.headers.connection).toBe('close')
  expect(await end()).toMatchObject({ outcome: 'refused', status: 408, attempts: [] })
  expect(upstream.requests).toHaveLength(0)
  const leave = async () => {
    await client.close()
    await sending
  }
  return { client, leave }
}

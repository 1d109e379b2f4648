import { type AddressInfo, createServer } from 'node:net'
import { openaiCompatible } from '@sluice/providers'
import { connectRawClient, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asking, chatBytes, crowd, leaveAll, slowestClose } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overHosts } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 30

describe('F26 the client leaves before the upstream has answered', () => {
  overHosts(mount => {
    it.each([true, false])('closes the calls of all who leave, stream: %s', async stream => {
      const upstream = await upstreamDuring(steps.hang())
      const { site, end, ends, leases } = await startService(mount, { models: { m: upstream } })
      const left = watchLeftovers()
      const clients = await crowd(site, many, { model: 'm', stream })
      await upstream.waitForRequest(many)
      expect(await slowestClose(upstream, [1, many], () => leaveAll(clients))).toBeLessThan(1_000)
      await upstream.waitForIdle()
      await end(many)
      for (const event of ends) {
        expect(event).toMatchObject({
          outcome: 'client_disconnected',
          status: 499,
          stream,
          usageEstimated: true,
        })
        expect(event.attempts).toMatchObject([{ called: true }])
        expect(event.usage?.prompt_tokens).toBeGreaterThan(0)
        expect(event.usage?.completion_tokens).toBe(4_096)
        expect(event.timings).toMatchObject({ queue: 0, firstByte: undefined })
      }
      expect(leases.settled).toHaveLength(many)
      await left.expectNone()
    })

    it('charges nothing to who leaves while there is no connection yet', async () => {
      const sockets = new Set<{ destroy(): unknown }>()
      // It takes the connection, and never answers the handshake of TLS.
      const mute = createServer(socket => sockets.add(socket.on('error', () => {})))
      await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy()
        mute.close()
      })
      const { port } = mute.address() as AddressInfo
      const vendor = openaiCompatible({
        name: 'vendor',
        baseURL: `https://127.0.0.1:${port}/v1`,
        apiKey: 'k',
      })
      const { site, end } = await startService(mount, { models: { m: vendor('its-model') } })
      const client = await asking(site, { model: 'm' })
      await until(() => sockets.size === 1)
      client.reset()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', usage: undefined, cost: null })
    })

    it('takes who leaves out of the queue, wherever they stand, and asks nobody for them', async () => {
      const upstream = await upstreamDuring(steps.hang(), steps.answer())
      const vendor = openaiCompatible({
        name: 'vendor',
        baseURL: upstream.baseURL,
        apiKey: upstreamKey,
        maxConcurrent: 1,
      })
      const { site, end, ends, leases } = await startService(mount, { models: { m: vendor('its-model') } })
      const first = await asking(site, { model: 'm' })
      await upstream.waitForRequest()
      const left = watchLeftovers()
      const clients = await crowd(site, many, { model: 'm', stream: true })
      const last = site.chat({ model: 'm' })
      await until(() => leases.admitted === many + 2)
      await leaveAll(clients)
      await end(many)
      for (const event of ends) {
        expect(event).toMatchObject({ outcome: 'client_disconnected', status: 499, usage: undefined })
        expect(event.attempts).toMatchObject([{ called: false }])
        expect(event.timings.queue).toBeGreaterThan(0)
      }
      expect(upstream.requests).toHaveLength(1)
      // The one who holds the only slot leaves: the last of the queue has it at once.
      first.reset()
      expect(await last).toMatchObject({ status: 200 })
      expect(upstream.requests).toHaveLength(2)
      expect((await end(many + 2)).timings.queue).toBeGreaterThan(0)
      await left.expectNone()
    })

    it('forgets who leaves in the middle of a body', async () => {
      const upstream = await upstreamDuring()
      const { site, leases } = await startService(mount, { models: { m: upstream } })
      await site.chat({ model: 'm' })
      const left = watchLeftovers()
      const clients = await Promise.all(
        Array.from({ length: many }, async () => {
          const client = await connectRawClient({ port: site.port })
          onTestFinished(() => client.close())
          const bytes = chatBytes(site, { model: 'm' })
          await client.send(bytes.subarray(0, bytes.length - 20))
          return client
        }),
      )
      await site.chat({ model: 'm' })
      await leaveAll(clients)
      await left.expectNone()
      expect(upstream.requests).toHaveLength(2)
      expect(leases.admitted).toBe(2)
    })
  })
})

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise(resolve => setImmediate(resolve))
  await new Promise(resolve => setImmediate(resolve))
}

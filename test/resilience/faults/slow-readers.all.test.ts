import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { steps, type Upstream } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asking } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overHosts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const kib = 1024
/** What the default of `writeStallMs` is. */
const stallMs = 60_000
const units = {
  'events of 1 KiB': undefined,
  'events of one letter': 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n',
}

describe('F31 the client never reads, and the upstream floods', () => {
  overHosts(mount => {
    it.each(Object.entries(units))('stops to read the upstream, and holds little: %s', async (_, unit) => {
      const responses = responsesDuring()
      const upstream = await upstreamDuring(steps.flood(unit === undefined ? {} : { unit }))
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const client = await asking(site, { model: 'm', stream: true }, true)
      const first = await standstill(upstream)
      // The kernel's buffers are most of it.
      expect(first).toBeLessThan(32 * kib * kib)
      const [response] = responses
      expect(response?.writableLength).toBeGreaterThan(0)
      expect(response?.writableLength).toBeLessThanOrEqual(192 * kib)
      client.resume()
      await vi.waitUntil(() => upstream.bytesWritten > first + 4 * kib * kib, { timeout: 10_000 })
      client.pause()
      await standstill(upstream)
      client.reset()
      await upstream.waitForClose()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', usageEstimated: true })
    })

    it('destroys both sides when a client has taken nothing for a minute', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const upstream = await upstreamDuring(steps.flood())
      const { site, end, ends } = await startService(mount, { models: { m: upstream } })
      const left = watchLeftovers()
      const client = await asking(site, { model: 'm', stream: true }, true)
      await standstill(upstream)
      vi.advanceTimersByTime(stallMs - 1_000)
      await sleep(50)
      expect([upstream.connections.open, ends.length]).toEqual([1, 0])
      vi.advanceTimersByTime(1_000)
      await upstream.waitForClose()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', status: 200, usageEstimated: true })
      client.resume()
      await client.waitForEnd()
      await client.close()
      vi.useRealTimers()
      await left.expectNone()
    })
  })
})

/** The responses that begin until the test ends. */
function responsesDuring(): ServerResponse[] {
  const responses: ServerResponse[] = []
  const heard = (message: unknown) => {
    responses.push((message as { response: ServerResponse }).response)
  }
  subscribe('http.server.request.start', heard)
  onTestFinished(() => void unsubscribe('http.server.request.start', heard))
  return responses
}

/** How much an upstream has written when it has written nothing for a while. */
async function standstill(upstream: Upstream): Promise<number> {
  for (let before = -1; before !== upstream.bytesWritten || before === 0; ) {
    before = upstream.bytesWritten
    await sleep(250)
  }
  return upstream.bytesWritten
}

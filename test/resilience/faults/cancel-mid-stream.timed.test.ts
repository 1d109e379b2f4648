import { chunks, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { crowd, leaveAll, slowestClose } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overHosts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 30
const begun = sse(chunks({ text: 'one two three' })).slice(0, 4)
const ticking = [steps.stream(begun), steps.stream(Array<string>(2_000).fill(begun[2] ?? ''), { delay: 5 })]

describe('F28 the client leaves in mid stream', () => {
  overHosts(mount => {
    it.each([
      ['that has gone quiet', [steps.stream(begun), steps.hang()]],
      ['that goes on', ticking],
    ])('closes the calls of all who leave a stream %s', async (_, script) => {
      const upstream = await upstreamDuring(script)
      const { site, end, ends } = await startService(mount, { models: { m: upstream } })
      const left = watchLeftovers()
      const clients = await crowd(site, many, { model: 'm', stream: true })
      await Promise.all(clients.map(client => client.waitFor('two')))
      expect(await slowestClose(upstream, [1, many], () => leaveAll(clients))).toBeLessThan(1_000)
      await upstream.waitForIdle()
      await end(many)
      for (const event of ends) {
        expect(event).toMatchObject({ outcome: 'client_disconnected', status: 200, usageEstimated: true })
        expect(event.attempts).toMatchObject([{ called: true }])
        expect(event.usage?.prompt_tokens).toBeGreaterThan(0)
        expect(event.usage?.completion_tokens).toBeGreaterThan(0)
        expect(event.timings.firstByte).toBeGreaterThan(0)
      }
      await left.expectNone()
    })
  })
})

import { chunks, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const text = 'one two three four'
const begun = sse(chunks({ text })).slice(0, 5)
/** A byte each 40 ms: no pause is ever as long as the 400 ms that are allowed. */
const dripping = steps.drip(`: ${'x'.repeat(10_000)}`, 40)
const timeouts = { firstByteMs: 400, idleMs: 400, totalMs: 1_200 }

describe('F88 the upstream sends one byte before each idle deadline', () => {
  overServers(mount => {
    it('is ended by the total deadline, and its tokens are counted', async () => {
      const upstream = await upstreamDuring([steps.stream(begun), dripping])
      const spare = await upstreamDuring()
      const { site, end, leases } = await startService(mount, { models: { m: upstream, spare }, timeouts })
      const answer = await site.chat({ model: 'm', stream: true })
      const read = await readSse(answer.bytes)
      expect([read.text, read.done]).toEqual([text, false])
      expect(read.chunks.at(-1)).toMatchObject({ error: { type: 'server_error' } })
      const event = await end()
      expect(event).toMatchObject({ outcome: 'upstream_failed', status: 200, usageEstimated: true })
      expect(event.error).toMatchObject({ kind: 'total_timeout' })
      expect(event.attempts).toMatchObject([{ called: true, error: { kind: 'total_timeout' } }])
      expect(event.usage?.completion_tokens).toBe(Math.ceil(text.length / 4))
      expect(event.timings.total).toBeGreaterThanOrEqual(1_100)
      expect(leases.settled).toEqual([event.usage])
      await upstream.waitForIdle()
    })

    it.each([true, false])('is ended before it has said anything, stream: %s', async isStream => {
      const kind = isStream ? {} : { headers: { 'content-type': 'application/json' } }
      const upstream = await upstreamDuring([steps.head(kind), dripping])
      const { site, end } = await startService(mount, { models: { m: upstream }, timeouts })
      const answer = await site.chat({ model: 'm', stream: isStream })
      if (isStream) {
        const { chunks: told, done } = await readSse(answer.bytes)
        expect([told.length, done]).toEqual([1, false])
        expect(told[0]).toHaveProperty('error')
      } else {
        expect(answer.status).toBe(504)
      }
      expect((await end()).error).toMatchObject({ kind: 'total_timeout' })
      await upstream.waitForIdle()
    })
  })
})

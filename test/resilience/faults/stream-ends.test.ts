import { openaiCompatible } from '@sluice/providers'
import { chunks, readSse, sse, steps, usage } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { asking, crowd, leaveAll } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overHosts } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const text = 'one two three four five six seven eight nine ten'
const whole = sse(chunks({ text, usage: usage(9, 12) }))
const counted = whole.findIndex(event => event.includes('"prompt_tokens"'))

describe('F29 the client reads every delta and drops before the count', () => {
  overHosts(mount => {
    it('is billed by its own count, which says that it is one', async () => {
      const upstream = await upstreamDuring([steps.stream(whole.slice(0, counted)), steps.hang()])
      const { site, end, leases } = await startService(mount, { models: { m: upstream } })
      const client = await asking(site, { model: 'm', stream: true, stream_options: { include_usage: true } })
      await client.waitFor('ten"')
      client.reset()
      const event = await end()
      expect(event).toMatchObject({ outcome: 'client_disconnected', status: 200, usageEstimated: true })
      expect(event.usage?.prompt_tokens).toBeGreaterThan(0)
      expect(event.usage?.completion_tokens).toBe(Math.ceil(text.length / 4))
      // The limiter is told the same: dropping early is no way around a quota.
      expect(leases.settled).toEqual([event.usage])
      await upstream.waitForIdle()
    })

    it("is billed by the vendor's count where that has come, also where the client did not ask for it", async () => {
      const upstream = await upstreamDuring([steps.stream(whole.slice(0, counted + 1)), steps.hang()])
      const { site, end, leases } = await startService(mount, {
        models: { m: upstream },
        stream: { keepAliveMs: 20 },
      })
      const client = await asking(site, { model: 'm', stream: true })
      await client.waitFor('ten"')
      // A comment comes only once all that was there has been read.
      await client.waitFor(': keep-alive')
      expect(upstream.requests[0]?.json?.stream_options).toMatchObject({ include_usage: true })
      client.reset()
      const event = await end()
      expect(event).toMatchObject({ outcome: 'client_disconnected', usageEstimated: false })
      expect(event.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 })
      expect(leases.settled).toEqual([event.usage])
    })
  })
})

describe('F30 the client leaves right after [DONE], and the upstream keeps its connection open', () => {
  overHosts(mount => {
    it('ends the answer at once, and gives the slot back', async () => {
      const upstream = await upstreamDuring([steps.stream(whole), steps.hang()])
      const vendor = openaiCompatible({
        name: 'vendor',
        baseURL: upstream.baseURL,
        apiKey: upstreamKey,
        maxConcurrent: 1,
      })
      const { site, end } = await startService(mount, { models: { m: vendor('its-model') } })
      for (const n of [1, 2]) {
        const answer = await site.chat({ model: 'm', stream: true })
        expect(answer.complete).toBe(true)
        expect(await readSse(answer.bytes)).toMatchObject({ done: true, text })
        expect(await end(n)).toMatchObject({ outcome: 'completed', usageEstimated: false, error: undefined })
      }
      // The upstream, which never ends its answer, is left.
      await upstream.waitForIdle()
    })

    it('tells of a success', async () => {
      const many = 30
      const upstream = await upstreamDuring([steps.stream(whole), steps.hang()])
      const { site, end, ends } = await startService(mount, { models: { m: upstream } })
      const left = watchLeftovers()
      const clients = await crowd(site, many, { model: 'm', stream: true })
      await Promise.all(
        clients.map(async client => {
          await client.waitFor('data: [DONE]\n\n')
          await leaveAll([client])
        }),
      )
      await end(many)
      for (const event of ends) {
        expect(event).toMatchObject({ outcome: 'completed', status: 200, usageEstimated: false })
        expect(event.attempts).toMatchObject([{ called: true, error: undefined }])
      }
      await upstream.waitForIdle()
      await left.expectNone()
    })
  })
})

import { sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { crowd, leaveAll, slowestClose } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overHosts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const many = 30
/** What some vendors send at once, long before the first token. */
const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }
const waits = {
  'after the head of the answer': [steps.head(), steps.hang()],
  'after a chunk without a token': [steps.stream(sse([role], { done: false })), steps.hang()],
}

describe('F27 the client leaves while the first token is awaited', () => {
  overHosts(mount => {
    // The gateway holds its own head back for a while: who leaves then has seen nothing.
    it.each(Object.entries(waits))(
      'closes the calls of all who leave before they see a head: %s',
      async (_, script) => {
        const upstream = await upstreamDuring(script)
        const { site, end, ends } = await startService(mount, {
          models: { m: upstream },
          stream: { holdMs: 10_000 },
        })
        const left = watchLeftovers()
        const clients = await crowd(site, many, { model: 'm', stream: true })
        await upstream.waitForRequest(many)
        expect(await slowestClose(upstream, [1, many], () => leaveAll(clients))).toBeLessThan(1_000)
        await upstream.waitForIdle()
        await end(many)
        for (const event of ends) {
          expect(event).toMatchObject({ outcome: 'client_disconnected', status: 499, usageEstimated: true })
          expect(event.attempts).toMatchObject([{ called: true }])
          expect(event.usage).toMatchObject({ completion_tokens: 4_096 })
          expect(event.timings.firstByte).toBeUndefined()
        }
        await left.expectNone()
      },
    )

    it.each(Object.entries(waits))(
      'closes the calls of all who leave once they have the head: %s',
      async (_, script) => {
        const upstream = await upstreamDuring(script)
        const { site, end, ends } = await startService(mount, {
          models: { m: upstream },
          stream: { holdMs: 1, keepAliveMs: 20 },
        })
        const left = watchLeftovers()
        const clients = await crowd(site, many, { model: 'm', stream: true })
        await Promise.all(clients.map(client => client.waitFor(': keep-alive')))
        expect(await slowestClose(upstream, [1, many], () => leaveAll(clients))).toBeLessThan(1_000)
        await upstream.waitForIdle()
        await end(many)
        for (const event of ends) {
          expect(event).toMatchObject({ outcome: 'client_disconnected', status: 200, usageEstimated: true })
          expect(event.usage?.prompt_tokens).toBeGreaterThan(0)
          expect(event.usage?.completion_tokens).toBe(4_096)
        }
        await left.expectNone()
      },
    )

    it('closes the call of a whole answer of which a part is here', async () => {
      const upstream = await upstreamDuring([
        steps.head({ headers: { 'content-type': 'application/json' }, framing: 10_000 }),
        steps.stream(['{"id":"chatcmpl-upstream",']),
        steps.hang(),
      ])
      const { site, end, ends } = await startService(mount, { models: { m: upstream } })
      const left = watchLeftovers()
      const clients = await crowd(site, many, { model: 'm' })
      await upstream.waitForRequest(many)
      expect(await slowestClose(upstream, [1, many], () => leaveAll(clients))).toBeLessThan(1_000)
      await upstream.waitForIdle()
      await end(many)
      for (const event of ends)
        expect(event).toMatchObject({
          outcome: 'client_disconnected',
          status: 499,
          stream: false,
          usageEstimated: true,
        })
      await left.expectNone()
    })
  })
})

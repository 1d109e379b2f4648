import { budget, type EndEvent, limits, priceTable, tokens } from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { openaiCompatible } from '@sluice/providers'
import { chunks, completion, sse, steps, usage } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { scriptedLedger } from '../../../packages/core/test/support/scripted-ledger.ts'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const firstByteMs = 150
const used = usage(9, 12)
/** What the first one says too late. */
const late = { usage: usage(900, 1_200) }
const dear = { input: 1_000, output: 1_000 }
const cheap = { input: 1, output: 2 }
const cost = (9 * cheap.input + 12 * cheap.output) / 1e6

describe('F62 an attempt is given up in time, and its answer comes after the next target has answered', () => {
  overServers(mount => {
    it.each([false, true])(
      'is charged once, and for the answer that was given, stream: %s',
      async streamed => {
        const said = streamed ? steps.stream(sse(chunks(late))) : steps.reply(completion(late))
        const slow = await upstreamDuring([steps.wait(2 * firstByteMs), said])
        const quick = await upstreamDuring(steps.answer({ usage: used }))
        const target = (name: string, { baseURL }: { readonly baseURL: string }) =>
          openaiCompatible({ name, baseURL, apiKey: upstreamKey })('its-model')
        const ledger = scriptedLedger()
        const store = memoryLimitStore()
        const prices = priceTable({ 'slow/its-model': dear, 'quick/its-model': cheap })
        const service = await startService(mount, {
          models: { m: [target('slow', slow), target('quick', quick)] },
          timeouts: { firstByteMs, responseMs: firstByteMs, idleMs: 5_000 },
          prices,
          ledger,
          limits: limits([tokens(10_000).per('day'), budget(5, 'usd').per('ever')], { store }),
        })
        const { site, end, ends, leases } = service
        const fields = { model: 'm', stream: streamed, max_tokens: 100 }
        const answered = await site.chat(fields)
        expect([answered.status, answered.body.includes(streamed ? '[DONE]' : 'Hello')]).toEqual([200, true])
        // Long enough for what the first one has to say, if anybody heard it.
        await slow.waitForClose(1)
        await new Promise(resolve => setTimeout(resolve, 2 * firstByteMs))

        const event: EndEvent = await end()
        expect(event.attempts).toMatchObject([
          {
            provider: 'slow',
            called: true,
            error: { kind: streamed ? 'first_byte_timeout' : 'response_timeout' },
          },
          { provider: 'quick', called: true, error: undefined },
        ])
        expect(event).toMatchObject({ outcome: 'completed', usage: used, usageEstimated: false })
        expect(event.cost).toBeCloseTo(cost, 12)
        expect(ends).toHaveLength(1)
        expect(ledger.heard).toEqual(['open', 'close'])
        expect(ledger.closings).toMatchObject([
          { provider: 'quick', attempts: 2, charge: { promptTokens: 9, completionTokens: 12 } },
        ])
        expect(ledger.closings[0]?.charge?.cost).toBeCloseTo(cost, 12)
        expect([leases.settled, store.held]).toEqual([[used], 0])
        // And the same of the limit: the next one finds as much less as the answer used.
        const next = await site.chat(fields)
        const left = [answered, next].map(({ headers }) => Number(headers['x-ratelimit-remaining-tokens']))
        expect((left[0] ?? 0) - (left[1] ?? 0)).toBeGreaterThanOrEqual(20)
        expect((left[0] ?? 0) - (left[1] ?? 0)).toBeLessThanOrEqual(21)
        await end(2)
      },
    )
  })
})

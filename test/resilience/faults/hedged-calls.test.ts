import { type DiscardedCallEvent, type EndEvent, priceTable, type RoutedTarget } from '@sluice/core'
import type { LedgerClosing } from '@sluice/core/ledger'
import { openaiCompatible } from '@sluice/providers'
import { chunks, type Script, sse, steps, usage } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { scriptedLedger } from '../../../packages/core/test/support/scripted-ledger.ts'
import { asking } from './harness/crowd.ts'
import { overServers } from './harness/servers.ts'
import { type Service, startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const hedgeAfterMs = 50
const used = usage(9, 12)
const prices = priceTable({
  'slow/its-model': { input: 1e6, output: 1e6 },
  'quick/its-model': { input: 1, output: 2 },
})

const unused = ({ events }: Service) =>
  events.filter((event): event is DiscardedCallEvent => event.type === 'discarded_call')

/** A place of its own name, as a route gives it. */
function placeAt(
  name: string,
  { baseURL }: { readonly baseURL: string },
  more: Partial<RoutedTarget> = {},
): RoutedTarget {
  return { ...openaiCompatible({ name, baseURL, apiKey: upstreamKey })('its-model'), ...more }
}

describe('F62 two targets are asked beside one another, and both would answer', () => {
  overServers(mount => {
    it.each([
      ['nothing', false, steps.hang()],
      ['nothing of a stream', true, steps.hang()],
      ['the head of a stream', true, [steps.head(), steps.hang()]],
      ['a role', true, [steps.stream(sse(chunks({ text: '' })).slice(0, 1)), steps.hang()]],
      ['its answer, later', false, [steps.wait(400), steps.answer()]],
    ])(
      'is charged for one, and the other is closed at once, which sent %s, stream: %j',
      async (_, streamed, said) => {
        const slow = await upstreamDuring(said as never)
        const quick = await upstreamDuring(steps.answer({ usage: used }))
        const candidates = [placeAt('slow', slow, { hedgeAfterMs }), placeAt('quick', quick)]
        const service = await startService(mount, { models: { m: candidates }, prices })
        const answered = await service.site.chat({ model: 'm', stream: streamed })
        expect([answered.status, answered.body.includes(streamed ? '[DONE]' : 'Hello')]).toEqual([200, true])
        await slow.waitForClose(1)
        const event: EndEvent = await service.end()
        expect(event).toMatchObject({
          outcome: 'completed',
          usage: used,
          attempts: [
            { provider: 'slow', why: 'first', error: { name: 'AnsweredElsewhere' } },
            { provider: 'quick', why: 'hedge', error: undefined },
          ],
        })
        expect(event.cost).toBeCloseTo((9 + 2 * 12) / 1e6, 12)
        expect(unused(service)).toMatchObject([{ attempt: { provider: 'slow' }, usageEstimated: true }])
        expect([slow.requests.length, quick.requests.length]).toEqual([1, 1])
      },
    )

    it('has a row of its own in the ledger, and the caller is charged and limited once', async () => {
      const slow = await upstreamDuring(steps.hang())
      const quick = await upstreamDuring(steps.answer({ usage: used }))
      const rows: LedgerClosing[] = []
      const ledger = {
        ...scriptedLedger(),
        recordDiscarded: (closing: LedgerClosing) => void rows.push(closing),
      }
      const { site, leases, end, gateway } = await startService(mount, {
        models: { m: [placeAt('slow', slow, { hedgeAfterMs }), placeAt('quick', quick)] },
        prices,
        ledger,
      })
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect((await end()).usage).toEqual(used)
      await gateway.close()
      expect(ledger.closings).toMatchObject([
        { provider: 'quick', attempts: 2, charge: { promptTokens: 9, completionTokens: 12 } },
      ])
      expect(rows).toMatchObject([
        { entry: { kind: 'hedge', principal: 'ann', model: 'm' }, provider: 'slow', estimated: true },
      ])
      expect(rows[0]?.entry.requestId).toBe(ledger.entries[0]?.requestId)
      expect(leases.settled).toEqual([used])
    })

    it.each<[string, Script, readonly (string | undefined)[]]>([
      ['answers', steps.answer({ text: 'of nobody', usage: used }), [undefined, undefined]],
      ['is silent', steps.hang(), ['response_timeout', 'first_byte_timeout']],
      ['refuses', steps.reply({ error: { message: 'busy' } }, { status: 503 }), ['refused', 'refused']],
      ['dies', steps.cut(), ['unreachable', 'unreachable']],
    ])('is neither waited for nor heard where it is a shadow, which %s', async (_, script, kinds) => {
      const shadow = await upstreamDuring(script)
      const first = await upstreamDuring(steps.answer({ usage: used }))
      const service = await startService(mount, {
        models: { m: placeAt('first', first, { shadows: [placeAt('shadow', shadow)] }) },
        timeouts: { firstByteMs: 300, responseMs: 300 },
        prices,
      })
      for (const streamed of [false, true]) {
        const answered = await service.site.chat({ model: 'm', stream: streamed })
        expect([answered.status, answered.body.includes('nobody')]).toEqual([200, false])
      }
      await expect.poll(() => unused(service)).toHaveLength(2)
      for (const { attempt } of unused(service)) {
        expect(attempt).toMatchObject({ provider: 'shadow', why: 'shadow' })
      }
      const failures = unused(service).map(({ attempt }) => attempt.error as { kind?: string } | undefined)
      expect(new Set(failures.map(error => error?.kind))).toEqual(new Set(kinds))
      expect(service.ends).toMatchObject([
        { outcome: 'completed', usage: used, attempts: [{ provider: 'first' }] },
        { outcome: 'completed', attempts: [{ provider: 'first' }] },
      ])
      expect([first.requests.length, shadow.requests.length]).toEqual([2, 2])
    })

    it('closes both when the caller leaves', async () => {
      const [one, two] = [await upstreamDuring(steps.hang()), await upstreamDuring(steps.hang())]
      const candidates = [placeAt('one', one, { hedgeAfterMs }), placeAt('two', two)]
      const service = await startService(mount, { models: { m: candidates }, prices })
      const client = await asking(service.site, { model: 'm' })
      await two.waitForRequest()
      client.reset()
      await Promise.all([one.waitForClose(1), two.waitForClose(1)])
      expect(await service.end()).toMatchObject({ outcome: 'client_disconnected', usageEstimated: true })
      await expect.poll(() => unused(service)).toMatchObject([{ attempt: { provider: 'one' } }])
    })
  })
})

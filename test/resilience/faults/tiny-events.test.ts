import { createHook } from 'node:async_hooks'
import { readSse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asking } from './harness/crowd.ts'
import { lagDuring } from './harness/lag.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const count = 100_000
const unit = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

describe('F89 100,000 events of one letter each', () => {
  overServers(mount => {
    it('cost neither a timer nor a listener each, and arrive', async () => {
      const many = [steps.flood({ unit, bytes: count * unit.length }), steps.stream([finish])]
      const upstream = await upstreamDuring(steps.answer(), many)
      const { site, end } = await startService(mount, { models: { m: upstream } })
      await site.chat({ model: 'm' })
      const left = watchLeftovers()
      const client = await asking(site, { model: 'm', stream: true })
      const lag = lagDuring()
      const timers = timersDuring()
      const streamed = await client.response()
      // One for each time that the client was slower than the stream.
      expect(timers.made).toBeLessThan(count / 100)
      expect(lag.percentile(50)).toBeLessThan(250)
      const { text, done } = await readSse(streamed?.bytes ?? '')
      expect([text.length, done]).toEqual([count, true])
      const event = await end(2)
      expect(event).toMatchObject({ outcome: 'completed', usageEstimated: true })
      expect(event.usage?.completion_tokens).toBe(count / 4)
      await client.close()
      await left.expectNone()
    })

    it('one read each, cost no timer either', async () => {
      const reads = 2_000
      const upstream = await upstreamDuring([
        steps.stream(Array<string>(reads).fill(unit)),
        steps.stream([finish]),
      ])
      const { site } = await startService(mount, { models: { m: upstream } })
      const timers = timersDuring()
      const { text, done } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect([text.length, done]).toEqual([reads, true])
      expect(timers.made).toBeLessThan(reads / 20)
    })
  })
})

/** Counts the timers that anything in the process makes until the test ends. */
function timersDuring(): { readonly made: number } {
  let made = 0
  const hook = createHook({
    init(_, type) {
      if (type === 'Timeout') made++
    },
  }).enable()
  onTestFinished(() => void hook.disable())
  return {
    get made() {
      return made
    },
  }
}

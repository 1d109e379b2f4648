import { describe, expect, it } from 'vitest'
import type { EndEvent, GatewayEvent } from '../events.ts'
import type { Usage } from '../protocol/chat.ts'
import { estimatedUsage } from '../usage.ts'
import { RequestRecord } from './settle.ts'

const guess = estimatedUsage({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(40) }] }, 0)
const target = { provider: { name: 'p' }, model: 'up' } as Parameters<RequestRecord['attempts']['begin']>[0]

function record() {
  const events: GatewayEvent[] = []
  const time = { now: 1_000 }
  const made = new RequestRecord(
    'req_1',
    () => time.now,
    event => events.push(event),
  )
  return { made, time, events, end: () => events[0] as EndEvent }
}

describe('RequestRecord', () => {
  it('tells all of a request once, with times from its beginning', () => {
    const { made, time, events, end } = record()
    expect(made.chat).toBe(false)
    made.principal = { id: 'ann' }
    made.model = 'm'
    time.now = 1_020
    made.markFirstByte()
    time.now = 1_050
    made.markFirstByte()
    const error = new Error('x')
    made.settle('refused', 400, error)
    made.settle('completed', 200)
    expect(events).toEqual([
      {
        type: 'end',
        requestId: 'req_1',
        outcome: 'refused',
        status: 400,
        principal: { id: 'ann' },
        model: 'm',
        stream: false,
        attempts: [],
        adjustments: [],
        usage: undefined,
        usageEstimated: false,
        timings: { queue: 0, firstByte: 20, total: 50 },
        error,
      },
    ])
    expect(end().error).toBe(error)
  })

  it('tells of no first byte where there was none', () => {
    const { made, end } = record()
    made.settle('completed', 200)
    expect(end().timings).toEqual({ queue: 0, firstByte: undefined, total: 0 })
  })

  it('counts the time in queues, of those too that are still in one', () => {
    const { made, time, end } = record()
    const first = made.attempts.begin(target, 1_000)
    first.enqueue(1_000)
    first.dequeue(1_007)
    made.attempts.begin(target, 1_010).enqueue(1_010)
    time.now = 1_030
    made.settle('client_aborted', 499)
    expect(end().timings.queue).toBe(27)
  })

  it('gives the room back once, with counts that nobody else holds', () => {
    const { made, end } = record()
    const settled: (Usage | undefined)[] = []
    made.hold({ headers: { 'x-room': '1' }, settle: usage => void settled.push(usage) })
    expect(made.answerHeaders).toEqual({ 'x-room': '1' })
    made.usage = guess
    made.usageEstimated = true
    made.settle('completed', 200)
    made.settle('refused', 400)
    expect(settled).toEqual([guess])
    expect(end()).toMatchObject({ usage: guess, usageEstimated: true })
    for (const copy of [settled[0], end().usage]) {
      expect(copy).not.toBe(guess)
      expect(copy?.prompt_tokens_details).not.toBe(guess.prompt_tokens_details)
      expect(copy?.completion_tokens_details).not.toBe(guess.completion_tokens_details)
    }
  })

  it('gives room back at once that comes when all is over', () => {
    const { made } = record()
    made.settle('client_aborted', 499)
    const settled: unknown[] = []
    made.hold({ headers: {}, settle: usage => void settled.push(usage) })
    expect(settled).toEqual([undefined])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('store')
      },
    ],
    ['rejects', () => Promise.reject(new Error('store'))],
  ])('outlives a store that %s', async (_, settle) => {
    const { made, events } = record()
    made.hold({ headers: {}, settle })
    made.settle('completed', 200)
    expect(events).toHaveLength(1)
    await new Promise(resolve => setImmediate(resolve))
  })

  it('tells the caller of adjustments beside the room, those of the last target only', () => {
    const { made, end } = record()
    expect(made.answerHeaders).toEqual({})
    made.hold({ headers: { 'x-room': '1' }, settle() {} })
    made.adjust([{ parameter: 'seed', action: 'dropped' }])
    const [name = ''] = Object.keys(made.answerHeaders).filter(each => each !== 'x-room')
    expect(made.answerHeaders['x-room']).toBe('1')
    expect(made.answerHeaders[name]).toContain('seed')
    made.adjust([])
    expect(made.answerHeaders).toEqual({ 'x-room': '1' })
    made.adjust([{ parameter: 'n', action: 'mapped' }])
    made.settle('completed', 200)
    expect(end().adjustments).toEqual([{ parameter: 'n', action: 'mapped' }])
  })

  describe.each(['client_aborted', 'gateway_closed'] as const)('of a request cut off as %s', outcome => {
    const left = (called: boolean, usage?: Usage, error?: unknown) => {
      const { made, end } = record()
      made.estimate = () => guess
      made.usage = usage
      const attempt = made.attempts.begin(target, 1_000)
      attempt.called = called
      attempt.error = error
      made.settle(outcome, 499)
      return end()
    }

    it('estimates the counts where an upstream was asked and did not fail', () => {
      expect(left(true)).toMatchObject({ usage: guess, usageEstimated: true })
    })

    it('estimates none where no upstream was asked, or it failed', () => {
      expect(left(false)).toMatchObject({ usage: undefined, usageEstimated: false })
      expect(left(true, undefined, new Error('x'))).toMatchObject({ usage: undefined, usageEstimated: false })
    })

    it('keeps the counts that there are', () => {
      const usage = { ...guess, prompt_tokens: 7 }
      expect(left(true, usage)).toMatchObject({ usage, usageEstimated: false })
    })

    it('estimates nothing where nothing can be, and nothing for other ends', () => {
      const { made, end } = record()
      made.attempts.begin(target, 1_000).called = true
      made.settle(outcome, 499)
      expect(end()).toMatchObject({ usage: undefined, usageEstimated: false })
      const other = record()
      other.made.estimate = () => guess
      other.made.attempts.begin(target, 1_000).called = true
      other.made.settle('upstream_failed', 502)
      expect(other.end()).toMatchObject({ usage: undefined, usageEstimated: false })
    })
  })
})

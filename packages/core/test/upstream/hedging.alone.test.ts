import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DiscardedCallEvent } from '../../src/contracts/events.ts'
import type { Reply } from '../../src/contracts/provider.ts'
import type { RoutedTarget } from '../../src/contracts/route.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import {
  forever,
  type Scripted,
  scripted,
  serving,
  stop,
  stream,
  text,
  whole,
} from '../support/scripted-gateway.ts'

const failure = (status: number) => new UpstreamError('It failed.', { kind: 'refused', status })

/** Answers after so many milliseconds. */
function slow(ms: number, answer: () => Reply | Promise<Reply>): Scripted {
  return scripted(async signal => {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    })
    return answer()
  })
}

const named = (model: string, { target }: Scripted, more: Partial<RoutedTarget> = {}): RoutedTarget => ({
  ...target,
  model,
  ...more,
})

function hedging(candidates: readonly RoutedTarget[], options: Partial<GatewayOptions> = {}) {
  const prices: GatewayOptions['prices'] = (usage, { upstreamModel }) =>
    usage.prompt_tokens + (upstreamModel === 'b' ? 100 : 0)
  const served = serving(candidates, { route: () => candidates, prices, ...options })
  const unused = () =>
    served.events.filter((event): event is DiscardedCallEvent => event.type === 'discarded_call')
  return { ...served, unused }
}

const hedgeAfterMs = 100

describe('a hedge', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(async () => {
    await vi.advanceTimersByTimeAsync(1_000)
    const left = vi.getTimerCount()
    vi.useRealTimers()
    expect(left, 'timers left').toBe(0)
  })

  it.each([false, true])(
    'answers where it is sooner, and the other one is cut off, stream: %j',
    async streamed => {
      const reply = (said: string) => () => (streamed ? stream([text(said), stop]) : whole(said))
      const a = slow(5_000, reply('slow'))
      const b = slow(200, reply('quick'))
      const { post, ends, unused } = hedging([named('a', a, { hedgeAfterMs }), named('b', b)])
      const answering = post({ stream: streamed, stream_options: undefined })
      await vi.advanceTimersByTimeAsync(99)
      expect(b.inputs).toEqual([])
      await vi.advanceTimersByTimeAsync(201)
      const response = await answering
      expect(await response.text()).toContain('quick')
      expect([a.signals[0]?.aborted, b.signals[0]?.aborted]).toEqual([true, false])
      expect(ends()[0]).toMatchObject({
        outcome: 'completed',
        attempts: [
          { model: 'a', why: 'first', called: true, error: { name: 'AnsweredElsewhere' } },
          { model: 'b', why: 'hedge', called: true, error: undefined },
        ],
      })
      if (!streamed) expect(ends()[0]).toMatchObject({ cost: 103, usage: { prompt_tokens: 3 } })
      expect(unused()).toMatchObject([
        {
          model: 'm',
          principal: { id: 'ann' },
          attempt: { model: 'a', error: { name: 'AnsweredElsewhere' } },
          usage: { completion_tokens: 4_096 },
          usageEstimated: true,
          cost: 2,
        },
      ])
    },
  )

  it('is cut off where the first one is sooner after all, whose model is priced', async () => {
    const a = slow(200, () => whole('first'))
    const b = slow(5_000, () => whole('hedge'))
    const { post, ends, unused } = hedging([named('a', a, { hedgeAfterMs }), named('b', b)])
    const answering = post({})
    await vi.advanceTimersByTimeAsync(200)
    expect(await (await answering).text()).toContain('first')
    expect(b.signals[0]?.aborted).toBe(true)
    expect(ends()[0]).toMatchObject({ cost: 3, attempts: [{ error: undefined }, { why: 'hedge' }] })
    expect(unused()).toMatchObject([{ attempt: { model: 'b', why: 'hedge' }, cost: 102 }])
  })

  it('is not made where the first one answers in time, nor where none is left that may be asked', async () => {
    const b = slow(10, () => whole('hedge'))
    const quick = hedging([
      named(
        'a',
        slow(50, () => whole('first')),
        { hedgeAfterMs },
      ),
      named('b', b),
    ])
    const answering = quick.post({})
    await vi.advanceTimersByTimeAsync(50)
    expect((await answering).status).toBe(200)
    expect(b.inputs).toEqual([])

    const cool = scripted((_, index) => (index === 0 ? Promise.reject(failure(429)) : whole('hedge')))
    const blocked = hedging(
      [
        named(
          'a',
          slow(500, () => whole('first')),
          { hedgeAfterMs },
        ),
        named('b', cool),
      ],
      { breaker: {} },
    )
    const first = blocked.post({})
    await vi.advanceTimersByTimeAsync(500)
    expect((await first).status).toBe(200)
    expect(cool.inputs).toHaveLength(1)
    const second = blocked.post({})
    await vi.advanceTimersByTimeAsync(500)
    expect(await (await second).text()).toContain('first')
    expect(cool.inputs).toHaveLength(1)
    expect(blocked.ends()[1]?.attempts).toHaveLength(1)
  })

  it('begins with content: a head alone, or a role, wins nothing', async () => {
    const a: Scripted = scripted(signal => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [text('')]
        await forever(signal)
      })(),
    }))
    const b = slow(400, () => stream([text('quick'), stop]))
    const { post } = hedging([named('a', a, { hedgeAfterMs }), named('b', b)])
    const answering = post({ stream: true })
    await vi.advanceTimersByTimeAsync(500)
    expect(await (await answering).text()).toContain('quick')
    expect(a.signals[0]?.aborted).toBe(true)
  })

  it('is the attempt where the other one fails, and then the next one has its turn', async () => {
    const a = slow(200, () => Promise.reject(failure(500)))
    const b = slow(200, () => Promise.reject(failure(502)))
    const c = scripted(() => whole('third'))
    const { post, ends, events, unused } = hedging([
      named('a', a, { hedgeAfterMs }),
      named('b', b),
      named('c', c),
    ])
    const answering = post({})
    await vi.advanceTimersByTimeAsync(250)
    expect(c.inputs).toEqual([])
    await vi.advanceTimersByTimeAsync(50)
    expect(await (await answering).text()).toContain('third')
    expect(ends()[0]?.attempts).toMatchObject([
      { why: 'first', status: 500 },
      { why: 'hedge', status: 502 },
      { why: 'fallback', error: undefined },
    ])
    expect(events.filter(({ type }) => type === 'attempt_failed')).toHaveLength(2)
    expect(unused()).toEqual([])
  })

  it('cannot make it worse: what it is refused with is not told while the other one goes on', async () => {
    const a = slow(500, () => whole('first'))
    const b = slow(10, () => Promise.reject(failure(400)))
    const { post } = hedging([named('a', a, { hedgeAfterMs }), named('b', b)])
    const answering = post({})
    await vi.advanceTimersByTimeAsync(500)
    expect(await (await answering).text()).toContain('first')
    const refused = hedging([
      named(
        'a',
        slow(500, () => Promise.reject(failure(503))),
        { hedgeAfterMs },
      ),
      named(
        'b',
        slow(10, () => Promise.reject(failure(400))),
      ),
      named(
        'c',
        scripted(() => whole('third')),
      ),
    ])
    const failing = refused.post({})
    await vi.advanceTimersByTimeAsync(500)
    expect((await failing).status).toBe(400)
  })

  it('counts as an attempt, and may have one of its own', async () => {
    const never = () => slow(50_000, () => whole(''))
    const last = never()
    const { post, ends } = hedging(
      [
        named('a', never(), { hedgeAfterMs }),
        named(
          'b',
          slow(1_000, () => whole('second')),
          { hedgeAfterMs },
        ),
        named('c', never(), { hedgeAfterMs }),
        named('d', last),
      ],
      { maxAttempts: 3 },
    )
    const answering = post({})
    await vi.advanceTimersByTimeAsync(1_100)
    expect(await (await answering).text()).toContain('second')
    expect(ends()[0]?.attempts.map(({ why }) => why)).toEqual(['first', 'hedge', 'hedge'])
    expect(last.inputs).toEqual([])
  })

  it('is told beside its record where the caller leaves both', async () => {
    const a = slow(50_000, () => whole(''))
    const b = slow(50_000, () => whole(''))
    const { post, ends, unused } = hedging([named('a', a, { hedgeAfterMs }), named('b', b)])
    const left = new AbortController()
    const answering = post({}, { signal: left.signal })
    await vi.advanceTimersByTimeAsync(200)
    left.abort()
    expect((await answering).status).toBe(499)
    await vi.advanceTimersByTimeAsync(1)
    expect([a.signals[0]?.aborted, b.signals[0]?.aborted]).toEqual([true, true])
    // One of them is what the record counts, the other is told of: each once.
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected', cost: 102 }])
    expect(unused()).toMatchObject([{ attempt: { model: 'a' }, cost: 2 }])
  })

  it('is not asked any more once the caller has the head of a stream', async () => {
    const a = slow(3_000, () => stream([text('first'), stop]))
    const b = slow(10, () => stream([text('hedge'), stop]))
    const alone = hedging([named('a', a, { hedgeAfterMs: 2_000 }), named('b', b)], {
      stream: { keepAliveMs: 1_000 },
      maxAttempts: 1,
    })
    const answering = alone.post({ stream: true })
    await vi.advanceTimersByTimeAsync(1_000)
    const body = (await answering).text()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await body).toMatch(/^: [\s\S]*first/)
    expect(b.inputs).toEqual([])
  })

  it('goes on beside the first one after the head was sent, and either may win', async () => {
    const a = slow(50_000, () => stream([text('first'), stop]))
    const b = slow(2_500, () => stream([text('hedge'), stop]))
    const { post, unused, ends } = hedging([named('a', a, { hedgeAfterMs }), named('b', b)], {
      stream: { keepAliveMs: 1_000 },
    })
    const answering = post({ stream: true })
    await vi.advanceTimersByTimeAsync(1_101)
    const body = (await answering).text()
    await vi.advanceTimersByTimeAsync(1_500)
    expect(await body).toMatch(/^: [\s\S]*hedge[\s\S]*\[DONE\]/)
    expect(unused()).toHaveLength(1)
    expect(ends()).toMatchObject([{ outcome: 'completed' }])
  })
})

describe('what was adjusted', () => {
  it('is told of the target that answers, whichever was asked last', async () => {
    const lowered = (
      model: string,
      upstream: Scripted,
      temperature: number,
      more: Partial<RoutedTarget> = {},
    ) => named(model, upstream, { parameters: { temperature }, ...more })
    const failing = slow(10, () => Promise.reject(failure(500)))
    for (const [other, wins] of [
      [failing, 0.25],
      [slow(1_000, () => whole('hedge')), 0.25],
      [slow(10, () => whole('hedge')), 0.75],
    ] as const) {
      const first = lowered(
        'a',
        slow(60, () => whole('first')),
        0.25,
        { hedgeAfterMs: 20 },
      )
      const { post, ends } = hedging([first, lowered('b', other, 0.75)])
      const response = await post({})
      expect(decodeURIComponent(response.headers.get('x-sluice-adjustments') ?? '')).toContain(String(wins))
      expect(ends()[0]?.adjustments).toEqual([
        { parameter: 'temperature', action: 'mapped', detail: String(wins) },
      ])
    }
  })
})

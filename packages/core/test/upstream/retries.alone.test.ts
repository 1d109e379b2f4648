import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Provider } from '../../src/contracts/provider.ts'
import { UpstreamError, type UpstreamErrorDetails } from '../../src/errors/upstream-error.ts'
import { forever, scripted, serving, stop, stream, text, whole } from '../support/scripted-gateway.ts'

const failure = (details: Partial<UpstreamErrorDetails> = {}) =>
  new UpstreamError('It failed.', { kind: 'refused', status: 503, ...details })

/** Fails so often with what is given, then answers. */
function flaky(times: number, error: Error, streamed = false, more: Partial<Provider> = {}) {
  const answer = streamed ? () => stream([text('hi'), stop]) : () => whole('hi')
  return scripted((_, index) => (index < times ? Promise.reject(error) : answer()), more)
}

const retry = { baseMs: 100, maxMs: 1_000 }
const half = { retry, random: () => 0.5 }

describe('a gateway that asks again', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(async () => {
    // What watches this process ticks once more.
    await vi.advanceTimersByTimeAsync(1_000)
    const left = vi.getTimerCount()
    vi.useRealTimers()
    expect(left, 'timers left').toBe(0)
  })

  it.each([408, 424, 429, 500, 502, 503, 504, 529])('asks again after a %i', async status => {
    const upstream = flaky(1, failure({ status }))
    const { post, ends } = serving(upstream.target, half)
    const answering = post({})
    await vi.runAllTimersAsync()
    expect((await answering).status).toBe(200)
    expect(ends()[0]?.attempts).toMatchObject([
      { why: 'first', status, waitedMs: 0 },
      { why: 'retry', error: undefined, status: undefined },
    ])
  })

  it.each<Partial<UpstreamErrorDetails>>([
    { status: 400 },
    { status: 401 },
    { status: 404 },
    { status: 409 },
    { status: 429, code: 'insufficient_quota' },
    { kind: 'first_byte_timeout', status: undefined },
    { kind: 'idle_timeout', status: undefined },
    { kind: 'total_timeout', status: undefined },
  ] as Partial<UpstreamErrorDetails>[])('asks no more than once after %o', async details => {
    const upstream = flaky(9, failure(details))
    const response = await serving(upstream.target, half).post({})
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(upstream.inputs).toHaveLength(1)
  })

  it('waits a random share of a bound that doubles', async () => {
    const upstream = flaky(3, failure())
    const draws: number[] = []
    const { post, ends } = serving(upstream.target, {
      ...half,
      maxAttempts: 4,
      random: () => {
        draws.push(0)
        return 0
      },
    })
    const answering = post({})
    await vi.runAllTimersAsync()
    expect((await answering).status).toBe(200)
    const waits = ends()[0]!.attempts.map(({ waitedMs }) => waitedMs)
    expect(waits).toHaveLength(4)
    for (const [n, most] of [0, 100, 200, 400].entries()) expect(waits[n]).toBeLessThanOrEqual(most + 1)
    expect(new Set(waits).size).toBe(4)
    // Chance comes from the request's seed.
    expect(draws).toHaveLength(1)
  })

  it('waits as long as it is asked to', async () => {
    const upstream = flaky(1, failure({ status: 429, retryAfterMs: 7_000 }))
    const { post, ends } = serving(upstream.target, half)
    const answering = post({})
    await vi.advanceTimersByTimeAsync(6_990)
    expect(upstream.inputs).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(20)
    expect((await answering).status).toBe(200)
    expect(ends()[0]?.attempts[1]?.waitedMs).toBeGreaterThanOrEqual(7_000)
  })

  it.each([
    ['longer than is waited', { retry: { ...retry, maxRetryAfterMs: 5_000 } }, {}],
    ['longer than the whole request may take', { timeouts: { totalMs: 6_000 } }, {}],
    ['so long that a stream would begin meanwhile', { stream: { keepAliveMs: 6_000 } }, { stream: true }],
  ])('does not wait where it is asked to wait %s', async (_, more, body) => {
    const upstream = flaky(1, failure({ status: 429, retryAfterMs: 7_000 }))
    const response = await serving(upstream.target, { ...half, ...more }).post(body)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    // Nobody asked again: the caller may.
    expect(response.headers.get('x-should-retry')).toBeNull()
    expect(upstream.inputs).toHaveLength(1)
  })

  it.each([
    ['429 with 30 seconds', 429, 30_000, '30'],
    ['503 with 11 seconds', 503, 11_000, '11'],
  ])('does not hold the caller for a %s by default', async (_, status, retryAfterMs, told) => {
    const upstream = flaky(1, failure({ status, retryAfterMs }))
    // The clock stands still: a wait would never end.
    const response = await serving(upstream.target, { retry: {} }).post({})
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, told])
    expect(upstream.inputs).toHaveLength(1)
  })

  it('waits for 10 seconds by default', async () => {
    const upstream = flaky(1, failure({ status: 429, retryAfterMs: 10_000 }))
    const answering = serving(upstream.target, { retry: {} }).post({})
    await vi.advanceTimersByTimeAsync(10_001)
    expect((await answering).status).toBe(200)
    expect(upstream.inputs).toHaveLength(2)
  })

  it('does not wait for the end of a longer cooldown that another request caused', async () => {
    let fail = (_: Error) => {}
    const upstream = scripted((_, index) =>
      index === 0
        ? new Promise((_, reject) => {
            fail = reject
          })
        : Promise.reject(failure({ status: 429, retryAfterMs: 30_000 })),
    )
    const { post } = serving(upstream.target, { ...half, breaker: {} })
    const first = post({})
    await vi.advanceTimersByTimeAsync(1)
    expect((await post({})).headers.get('retry-after')).toBe('30')
    fail(failure({ status: 503 }))
    expect((await first).status).toBe(503)
    expect(upstream.inputs).toHaveLength(2)
  })

  it('asks again for a stream too, and then the head comes with its content', async () => {
    const upstream = flaky(1, failure({ status: 429, retryAfterMs: 5_000 }), true)
    const answering = serving(upstream.target, { ...half, stream: { keepAliveMs: 6_000 } }).post({
      stream: true,
    })
    await vi.advanceTimersByTimeAsync(5_001)
    const response = await answering
    expect(response.status).toBe(200)
    expect(await response.text()).not.toMatch(/^: /m)
  })

  it('asks nothing again once a stream has begun with comments', async () => {
    let fail = (_: Error) => {}
    const upstream = scripted(
      () =>
        new Promise((_, reject) => {
          fail = reject
        }),
    )
    const answering = serving(upstream.target, { ...half, stream: { keepAliveMs: 1_000 } }).post({
      stream: true,
    })
    await vi.advanceTimersByTimeAsync(1_000)
    const body = (await answering).text()
    await vi.advanceTimersByTimeAsync(1_500)
    fail(failure())
    expect(await body).toMatch(/^: [\s\S]*server_is_overloaded/)
    expect(upstream.inputs).toHaveLength(1)
  })

  it('bridges the silence of one that has sent its head, and asks no other for it', async () => {
    let go = () => {}
    const thinks = new Promise<void>(resolve => {
      go = resolve
    })
    const content = async function* () {
      await thinks
      yield [text('thought'), stop]
    }
    const thinking = scripted(() => ({ kind: 'stream', chunks: content() }))
    const other = flaky(0, failure(), true)
    const { post } = serving([thinking.target, other.target], { ...half, stream: { keepAliveMs: 1_000 } })
    let told = false
    const answering = post({ stream: true }).then(response => {
      told = true
      return response.text()
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(told).toBe(false)
    await vi.advanceTimersByTimeAsync(1_500)
    expect(told).toBe(true)
    go()
    expect(await answering).toMatch(/^: [\s\S]*thought/)
    expect(other.inputs).toEqual([])
  })

  it('tells clients not to ask again where it did so in vain', async () => {
    const upstream = flaky(9, failure())
    const { post, events, ends } = serving(upstream.target, half)
    const answering = post({})
    await vi.runAllTimersAsync()
    const response = await answering
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'false'])
    expect(upstream.inputs).toHaveLength(3)
    expect(events.filter(({ type }) => type === 'attempt_failed')).toHaveLength(2)
    expect(ends()[0]).toMatchObject({ outcome: 'upstream_failed', usage: undefined })
  })

  it('says nothing of it where it was not to ask again', async () => {
    const single = await serving(flaky(9, failure()).target, { ...half, maxAttempts: 1 }).post({})
    expect(single.headers.get('x-should-retry')).toBeNull()
    const never = await serving(flaky(9, failure()).target, { retry: false }).post({})
    expect(never.headers.get('x-should-retry')).toBeNull()
  })

  it('asks the others at once, and only then one again', async () => {
    const a = flaky(1, failure())
    const b = flaky(9, failure({ status: 401 }))
    const { post, ends } = serving([a.target, { ...b.target, model: 'b' }], half)
    const answering = post({})
    await vi.advanceTimersByTimeAsync(0)
    expect([a.inputs.length, b.inputs.length]).toEqual([1, 1])
    await vi.runAllTimersAsync()
    expect((await answering).status).toBe(200)
    expect(ends()[0]?.attempts.map(({ why }) => why)).toEqual(['first', 'fallback', 'retry'])
  })

  it('keeps repeats within the budget of a target, and tells who has none not to ask again', async () => {
    const upstream = flaky(1_000, failure())
    const { post, ends } = serving(upstream.target, {
      ...half,
      retry: { ...retry, minBudget: 3, budget: 0.2 },
    })
    const answering = Promise.all(Array.from({ length: 100 }, () => post({})))
    await vi.runAllTimersAsync()
    const answers = await answering
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(upstream.inputs.length).toBeLessThanOrEqual(100 * 1.2 + 3)
    expect(upstream.inputs.length).toBeGreaterThan(100)
    expect(new Set(answers.map(({ headers }) => headers.get('x-should-retry')))).toEqual(new Set(['false']))
    expect(ends()[50]?.trace.candidates).toMatchObject([{ skipped: { why: 'retry_budget' } }])
  })

  it.each([
    ['the client leaves', 'client_disconnected', 499],
    ['the gateway closes', 'gateway_closed', 503],
  ] as const)('ends its wait when %s', async (what, outcome, status) => {
    const upstream = flaky(9, failure({ status: 429, retryAfterMs: 50_000 }))
    const { post, ends, gateway } = serving(upstream.target, {
      ...half,
      retry: { ...retry, maxRetryAfterMs: 60_000 },
    })
    const left = new AbortController()
    const answering = post({}, { signal: left.signal })
    await vi.advanceTimersByTimeAsync(100)
    expect(upstream.inputs).toHaveLength(1)
    const closing = what === 'the gateway closes' ? gateway.close({ drainMs: 0 }) : left.abort()
    await vi.advanceTimersByTimeAsync(1)
    expect((await answering).status).toBe(status)
    await closing
    expect(ends()).toMatchObject([{ outcome, usage: undefined, attempts: [{ status: 429 }] }])
    expect(upstream.inputs).toHaveLength(1)
  })

  it('counts what was not even sent, so that it ends', async () => {
    let written = 0
    const { target } = scripted(() => whole('hi'), {
      encode: () => {
        written++
        throw new UpstreamError('No token.', { kind: 'unreachable' })
      },
    })
    const answering = serving(target, half).post({})
    await vi.runAllTimersAsync()
    expect((await answering).status).toBe(502)
    expect(written).toBeLessThanOrEqual(4)
  })

  it('cuts off an attempt that is late, which is not charged', async () => {
    const late = scripted(() => whole('late'), { transport: (_, signal) => forever(signal) })
    const { post, ends } = serving([late.target, scripted(() => whole('hi')).target], {
      ...half,
      timeouts: { firstByteMs: 1_000, responseMs: 1_000 },
      prices: () => 1,
    })
    const answering = post({})
    await vi.advanceTimersByTimeAsync(1_001)
    expect((await answering).status).toBe(200)
    expect(ends()[0]).toMatchObject({ cost: 1, usage: { prompt_tokens: 3 }, usageEstimated: false })
  })
})

describe('targets that are left alone', () => {
  const broken = { breaker: { failures: 1, openMs: 30_000 } }

  it('are skipped, and where all are the answer tells why without a call', async () => {
    const dead = flaky(9, failure({ status: 500 }))
    const cool = flaky(9, failure({ status: 429, retryAfterMs: 20_000 }))
    const { post, ends } = serving([dead.target, cool.target], { ...broken, random: () => 0.5 })
    expect((await post({})).status).toBe(429)
    const response = await post({})
    expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBe(20)
    expect(Number(response.headers.get('retry-after-ms'))).toBeGreaterThan(19_000)
    expect(response.headers.get('x-should-retry')).toBeNull()
    expect([dead.inputs.length, cool.inputs.length]).toEqual([1, 1])
    expect(ends()[1]).toMatchObject({ outcome: 'refused', attempts: [], usage: undefined, cost: null })
    expect(ends()[1]?.trace.candidates).toMatchObject([
      { skipped: { why: 'open' } },
      { skipped: { why: 'cooldown' } },
    ])
  })

  it('hear of a death in mid stream', async () => {
    const dying = scripted(() => stream([text('a')], new UpstreamError('It died.', { kind: 'truncated' })))
    const { post } = serving(dying.target, broken)
    await (await post({ stream: true })).text()
    expect((await post({ stream: true })).status).toBe(502)
    expect(dying.inputs).toHaveLength(1)
  })

  it('are not those whose caller left', async () => {
    const endless = scripted(signal => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [text('a')]
        await forever(signal)
      })(),
    }))
    const { post } = serving(endless.target, broken)
    for (let n = 1; n <= 3; n++) {
      const reader = (await post({ stream: true })).body!.getReader()
      await reader.read()
      await reader.cancel()
      expect(endless.inputs).toHaveLength(n)
    }
  })
})

describe('what an entry says of moving on', () => {
  const answering = scripted(() => whole('hi'))

  it('is asked of each failure, and decides', async () => {
    const heard: unknown[] = []
    const on = ({ status }: UpstreamError) => {
      heard.push(status)
      return status === 429
    }
    const first = scripted((_, index) => Promise.reject(failure({ status: index === 0 ? 500 : 429 })))
    const { post } = serving(answering.target, {
      route: () => [{ ...first.target, fallbackOn: on }, answering.target],
    })
    expect((await post({})).status).toBe(502)
    expect((await post({})).status).toBe(200)
    expect(heard).toEqual([500, 429])
  })

  it('lets the same one be asked again, and no other', async () => {
    const first = flaky(1, failure())
    const other = scripted(() => whole('other'))
    const { post } = serving(answering.target, {
      retry: { baseMs: 1 },
      route: () => [{ ...first.target, fallbackOn: () => false }, other.target],
    })
    expect(await (await post({})).text()).toContain('hi')
    expect(other.inputs).toEqual([])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['gives no boolean', (() => Promise.resolve(true)) as never],
  ])('is a fault of the service where it %s', async (_, on) => {
    const first = flaky(1, failure())
    const { post, ends } = serving(answering.target, {
      route: () => [{ ...first.target, fallbackOn: on }, answering.target],
    })
    const response = await post({})
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
    expect(ends()[0]?.outcome).toBe('internal_error')
  })
})

import { describe, expect, it } from 'vitest'
import type { TargetEvent } from '../../src/contracts/events.ts'
import type { Reply } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { forever, scripted, serving, stop, stream, text, turn, whole } from '../support/scripted-gateway.ts'

const down = () => Promise.reject(new UpstreamError('It failed.', { kind: 'refused', status: 503 }))
const refusing = (status: number, retryAfterMs?: number) => () =>
  Promise.reject(new UpstreamError('No.', { kind: 'refused', status, ...(retryAfterMs && { retryAfterMs }) }))

/** One target, which answers as it is told to at the moment. */
function site(options: Partial<GatewayOptions> = {}) {
  let answer: (signal: AbortSignal) => Reply | Promise<Reply> = () => whole('hi')
  const upstream = scripted(signal => answer(signal))
  const served = serving(upstream.target, {
    retry: false,
    breaker: { openMs: 50, maxOpenMs: 50 },
    random: () => 0.5,
    ...options,
  })
  const states = () =>
    served.events.filter((event): event is TargetEvent => event.type === 'target').map(({ state }) => state)
  return {
    ...served,
    states,
    calls: () => upstream.signals.length,
    answers(next: typeof answer) {
      answer = next
    },
    async asked(times: number) {
      const responses = await Promise.all(Array.from({ length: times }, () => served.post({})))
      return Promise.all(responses.map(async response => [response.status, await response.text()] as const))
    },
  }
}

const elapsed = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('a gateway whose upstream fails', () => {
  it('F59 asks an upstream that answers 503 at most 1.2 times a request, and three, for 200 clients', async () => {
    const { answers, asked, calls } = site({
      breaker: false,
      retry: { baseMs: 1, maxMs: 5 },
      random: Math.random,
    })
    answers(down)
    const got = await asked(200)
    expect(got.every(([status]) => status === 503)).toBe(true)
    expect(calls()).toBeGreaterThan(200)
    expect(calls()).toBeLessThanOrEqual(243)
  })

  it('F61 answers 503 with when to come again, and without a call, while it is open', async () => {
    const { answers, asked, calls, post, states } = site({ breaker: {} })
    answers(down)
    await asked(5)
    expect([calls(), states()]).toEqual([5, ['open']])
    for (let index = 0; index < 20; index++) {
      const response = await post({ stream: index % 2 === 0 })
      expect(response.status).toBe(503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(29)
      await response.text()
    }
    expect(calls()).toBe(5)
  })

  it('F60 probes with one of 500, and serves all when that one is answered', async () => {
    const { answers, asked, calls, states, post } = site()
    answers(down)
    await asked(5)
    await elapsed(55)
    let answer = (_: Reply) => {}
    answers(() => new Promise(resolve => (answer = resolve)))
    const trying = asked(500)
    await turn()
    expect(calls()).toBe(6)
    answer(whole('hi'))
    const got = await trying
    expect(got.filter(([status]) => status === 200)).toHaveLength(1)
    expect(got.filter(([status]) => status === 503)).toHaveLength(499)
    answers(() => whole('hi'))
    expect((await post({})).status).toBe(200)
    expect(states()).toEqual(['open', 'half_open', 'closed'])
  })

  it('F60 makes another probe when the client of one has left', async () => {
    const { answers, asked, calls, post, states } = site()
    answers(down)
    await asked(5)
    await elapsed(55)
    answers(forever)
    const leaving = new AbortController()
    const left = post({}, { signal: leaving.signal })
    await turn()
    expect((await post({})).status).toBe(503)
    leaving.abort()
    await left.catch(() => {})
    answers(() => whole('hi'))
    expect((await post({})).status).toBe(200)
    expect(calls()).toBe(7)
    expect(states()).toEqual(['open', 'half_open', 'closed'])
  })

  it('is not opened by clients who leave, nor by requests that are wrong', async () => {
    const { answers, asked, post, states } = site()
    for (let index = 0; index < 10; index++) {
      answers(forever)
      const leaving = new AbortController()
      const left = post({}, { signal: leaving.signal })
      await turn()
      leaving.abort()
      await left.catch(() => {})
    }
    answers(refusing(400))
    const got = await asked(10)
    expect(got.every(([status]) => status === 400)).toBe(true)
    expect(states()).toEqual([])
  })

  it('is opened by failing requests, and not by how often each was sent again', async () => {
    const { answers, asked, calls, post, states } = site({ retry: { baseMs: 1, maxMs: 1, minBudget: 100 } })
    answers(down)
    for (let index = 0; index < 4; index++) await asked(1)
    expect([calls(), states()]).toEqual([12, []])
    await asked(1)
    expect(states()).toEqual(['open'])
    answers(() => whole('hi'))
    await elapsed(55)
    expect((await post({})).status).toBe(200)
  })

  it('is opened by streams that break off', async () => {
    const { answers, post, states } = site()
    answers(() => stream([text('a')], new UpstreamError('It broke.', { kind: 'truncated' })))
    for (let index = 0; index < 5; index++) await (await post({ stream: true })).text()
    expect(states()).toEqual(['open'])
    await elapsed(55)
    answers(() => stream([text('a')], [stop]))
    expect(await (await post({ stream: true })).text()).toContain('[DONE]')
    expect(states()).toEqual(['open', 'half_open', 'closed'])
  })

  it.each([
    [429, 500, 1, 429],
    [429, 7_000, 7, 429],
    [429, 3_600_000, 60, 429],
    [401, undefined, 60, 502],
    [402, undefined, 60, 429],
  ])(
    'F55 F56 is left alone after a %i that asks for %s ms, for %i s, and told of as a %i',
    async (status, retryAfterMs, seconds, told) => {
      const { answers, asked, calls, post, states } = site()
      answers(refusing(status, retryAfterMs))
      await asked(1)
      const response = await post({})
      expect(response.status).toBe(told)
      expect(response.headers.get('retry-after')).toBe(String(seconds))
      expect([calls(), states()]).toEqual([1, ['cooldown']])
    },
  )

  it('F55 is asked by all the same where a 429 asks for no pause and no other place is left', async () => {
    const { answers, asked, calls, states } = site()
    answers(refusing(429))
    expect((await asked(1))[0]?.[0]).toBe(429)
    expect((await asked(1))[0]?.[0]).toBe(429)
    expect([calls(), states()]).toEqual([2, ['cooldown']])
    // One request that is too much keeps nobody else waiting.
    answers(() => whole('hi'))
    expect((await asked(1))[0]?.[0]).toBe(200)
  })

  it('is never left alone where that is not wanted', async () => {
    const { answers, asked, calls } = site({ breaker: false })
    answers(down)
    await asked(20)
    answers(refusing(429, 60_000))
    const got = await asked(20)
    expect(got.every(([status]) => status === 429)).toBe(true)
    expect(calls()).toBe(40)
  })
})

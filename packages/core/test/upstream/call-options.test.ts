import { describe, expect, it } from 'vitest'
import type { DiscardedCallEvent } from '../../src/contracts/events.ts'
import type { Lease, Limiter } from '../../src/contracts/limiter.ts'
import type { LimitRuleData } from '../../src/contracts/principal.ts'
import type { Reply } from '../../src/contracts/provider.ts'
import { ConfigurationError } from '../../src/errors/configuration-error.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { concurrent, requests, tokens } from '../../src/rate-limiting/rule.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { hedge } from '../../src/routing/hedge.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { weighted } from '../../src/routing/weighted.ts'
import { withCallOptions } from '../../src/routing/with-call-options.ts'
import { forever, scripted, serving, stop, stream, text, turn, whole } from '../support/scripted-gateway.ts'

const fails = (status: number) => () =>
  Promise.reject(new UpstreamError('It refused.', { kind: 'refused', status }))
const named = (
  name: string,
  answer: (signal: AbortSignal, index: number) => Reply | Promise<Reply> = () => whole(name),
) => scripted(answer, { name })
const textOf = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]!.message.content

describe('call options of a target', () => {
  it('time out its calls, and no others', async () => {
    const slow = named('slow', signal => forever(signal))
    const quick = named('quick')
    const route = models({
      m: fallback(withCallOptions(slow.target, { timeouts: { responseMs: 10 } }), quick.target),
    })
    const { post, ends } = serving(quick.target, { route })
    expect(await textOf(await post({}))).toBe('quick')
    expect(ends()[0]!.attempts[0]!.error).toMatchObject({ kind: 'response_timeout', message: /10 ms/ })
  })

  it('retry it although the gateway does not, or not although it does', async () => {
    const statuses = async (retry: false | { baseMs: number }, own: false | { baseMs: number }) => {
      const { target, signals } = named('a', (_, index) => (index === 0 ? fails(503)() : whole('a')))
      const { post } = serving(target, {
        route: models({ m: withCallOptions(target, { retry: own }) }),
        retry,
      })
      return [(await post({})).status, signals.length]
    }
    expect(await statuses(false, { baseMs: 1 })).toEqual([200, 2])
    expect(await statuses({ baseMs: 1 }, false)).toEqual([503, 1])
  })

  it('open its circuit breaker earlier than others, and their absence leaves it as it is', async () => {
    const calls = async (breaker: false | { failures: number } | undefined) => {
      const { target, signals } = named('a', fails(500))
      const entry = breaker === undefined ? target : withCallOptions(target, { breaker })
      const { post } = serving(target, { route: models({ m: entry }), breaker: { failures: 3 } })
      for (let at = 0; at < 6; at++) await post({})
      return signals.length
    }
    // One more is the last resort of a target that no call has reached since.
    expect(await calls({ failures: 1 })).toBeLessThan(await calls(undefined))
    expect(await calls(false)).toBe(6)
  })

  it('bound the attempts of a request at it, above and below those of the gateway', async () => {
    const calls = async (maxAttempts: number) => {
      const [a, b] = [named('a', fails(503)), named('b', fails(503))]
      const route = models({ m: fallback(withCallOptions(a.target, { maxAttempts }), b.target) })
      const { post } = serving(a.target, { route, maxAttempts: 3, retry: { baseMs: 1, minBudget: 9 } })
      await post({})
      return [a.signals.length, b.signals.length]
    }
    expect(await calls(1)).toEqual([1, 2])
    // What is left after those of the other target is its own.
    expect((await calls(6)).reduce((sum, each) => sum + each)).toBe(6)
  })

  it('bound the attempts of all targets of a model', async () => {
    const [a, b] = [named('a', fails(503)), named('b', fails(503))]
    const route = models({ m: withCallOptions(fallback(a.target, b.target), { maxAttempts: 1 }) })
    await serving(a.target, { route }).post({})
    expect([a.signals.length, b.signals.length]).toEqual([1, 0])
  })

  it('bound the time of a request at it: then the next target answers, if that has time left', async () => {
    const [slow, next] = [named('slow', signal => forever(signal)), named('next')]
    const timeouts = { totalMs: 10 }
    const one = models({ m: fallback(withCallOptions(slow.target, { timeouts }), next.target) })
    const { post, ends } = serving(next.target, { route: one })
    expect(await textOf(await post({}))).toBe('next')
    expect(ends()[0]!.attempts[0]!.error).toMatchObject({ kind: 'total_timeout' })
    const both = models({ m: withCallOptions(fallback(slow.target, next.target), { timeouts }) })
    expect((await serving(next.target, { route: both }).post({})).status).toBe(504)
    expect(next.signals).toHaveLength(1)
  })

  it('leave a response in the background its own time', async () => {
    const slow = named('slow', async () => {
      await new Promise(resolve => setTimeout(resolve, 50))
      return whole('late')
    })
    const timeouts = { responseMs: 10, totalMs: 10 }
    const { gateway, ends } = serving(slow.target, {
      route: models({ m: withCallOptions(slow.target, { timeouts }) }),
    })
    const send = (background: boolean) =>
      gateway.fetch(
        new Request('http://sluice.test/v1/responses', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', input: 'x', background }),
        }),
      )
    expect((await send(true)).status).toBe(200)
    await expect.poll(() => ends().length).toBe(1)
    expect(ends()[0]!.error).toBeUndefined()
    expect((await send(false)).status).toBe(504)
  })

  it('set its cooldown after a 429', async () => {
    const { target } = named('a', fails(429))
    const { post, gateway } = serving(target, {
      route: models({ m: withCallOptions(target, { breaker: { cooldownMs: 20_000 } }) }),
      breaker: {},
    })
    await post({})
    expect(gateway.targets()[0]!.targets[0]!.health).toMatchObject({
      state: 'cooldown',
      reason: 'rate_limited',
    })
    expect(gateway.targets()[0]!.targets[0]!.health.waitMs).toBeGreaterThan(10_000)
  })

  it('are those of the outer call where several are around each other, member by member', async () => {
    const { target, signals } = named('a', fails(503))
    const inner = withCallOptions(target, { retry: { baseMs: 1, minBudget: 0, budget: 0 } })
    const outer = withCallOptions(weighted([inner, 1]), { retry: { minBudget: 1 } })
    const { post } = serving(target, { route: models({ m: outer }), maxAttempts: 5 })
    await post({})
    expect(signals).toHaveLength(2)
  })
})

describe('limits of a target', () => {
  const limited = (rules: readonly LimitRuleData[], more: readonly ReturnType<typeof named>[] = []) => {
    const first = named('first')
    const route = models({
      m: fallback(withCallOptions(first.target, { limits: rules }), ...more.map(({ target }) => target)),
    })
    return { first, ...serving(first.target, { route }) }
  }

  it('send requests to the next target before the vendor refuses them, whoever calls', async () => {
    const second = named('second')
    const { first, post, ends, gateway } = limited([requests(2).per('hour')], [second])
    const texts = []
    for (let at = 0; at < 4; at++) texts.push(await textOf(await post({})))
    expect(texts).toEqual(['first', 'first', 'second', 'second'])
    expect([first.signals.length, second.signals.length]).toEqual([2, 2])
    expect(ends()[2]!.attempts.map(({ provider, why }) => [provider, why])).toEqual([['second', 'first']])
    expect(ends()[2]!.trace.candidates[0]!.skipped).toMatchObject({ why: 'target_limit' })
    // Its health says nothing of it: another process may count elsewhere.
    expect(gateway.targets()[0]!.targets[0]!.health.state).toBe('closed')
  })

  it('are a 429 with the time to wait where no other target is left, and call nothing', async () => {
    const { first, post } = limited([requests(1).per('minute')])
    expect((await post({})).status).toBe(200)
    const response = await post({})
    expect([response.status, Number(response.headers.get('retry-after'))]).toEqual([429, 60])
    expect(first.signals).toHaveLength(1)
  })

  it.each([
    ['do not answer in time', { admit: () => new Promise<Lease>(() => {}) }],
    [
      'cannot be checked',
      {
        admit: () => {
          throw new GatewayError('limiter_unavailable')
        },
      },
    ],
  ])('that %s skip the target, and are a 503 without another one', async (_, limiter: Limiter) => {
    const [first, second, copy] = [named('first'), named('second'), named('copy')]
    const limitedFirst = withCallOptions(first.target, { limits: limiter })
    const route = models({
      m: fallback(limitedFirst, second.target),
      alone: limitedFirst,
      mirrored: mirror(second.target, withCallOptions(copy.target, { limits: limiter })),
    })
    const { post, ends, events } = serving(first.target, { route, timeouts: { policyMs: 5 } })
    expect(await textOf(await post({}))).toBe('second')
    expect(ends()[0]!.trace.candidates[0]!.skipped).toMatchObject({
      why: 'target_limit',
      detail: 'limiter_unavailable',
    })
    const response = await post({ model: 'alone' })
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'true'])
    expect(await response.json()).toMatchObject({ error: { code: 'limiter_unavailable' } })
    expect(await textOf(await post({ model: 'mirrored' }))).toBe('second')
    const discarded = () => events.filter(({ type }) => type === 'discarded_call') as DiscardedCallEvent[]
    await expect
      .poll(() => discarded().map(({ attempt }) => String(attempt.error)))
      .toEqual(['ShadowSkipped: The shadow was not called: the limits of its target cannot be checked.'])
    expect([first.signals.length, copy.signals.length]).toEqual([0, 0])
  })

  it('count tokens as they were used, and release calls that fail', async () => {
    const statuses = [200, 503, 200]
    const first = named('first', (_, index) => (statuses[index] === 503 ? fails(503)() : whole('first')))
    const second = named('second')
    const route = models({
      m: fallback(withCallOptions(first.target, { limits: [tokens(1_000).per('hour')] }), second.target),
    })
    const { post } = serving(first.target, { route })
    // Each reserves 600 and uses 5.
    const body = { max_completion_tokens: 590 }
    expect(await textOf(await post(body))).toBe('first')
    expect(await textOf(await post(body))).toBe('second')
    expect(await textOf(await post(body))).toBe('first')
  })

  it('count mirrored calls, and skip those beyond', async () => {
    const [main, copy] = [named('main'), named('copy')]
    const limitedCopy = withCallOptions(copy.target, { limits: [requests(2).per('hour')] })
    const route = models({ m: mirror(main.target, limitedCopy), direct: limitedCopy })
    const { post, events } = serving(main.target, { route })
    for (let at = 0; at < 3; at++) expect(await textOf(await post({}))).toBe('main')
    const discarded = () => events.filter(({ type }) => type === 'discarded_call') as DiscardedCallEvent[]
    await expect.poll(() => discarded().length).toBe(3)
    expect(copy.signals).toHaveLength(2)
    expect(discarded().flatMap(({ attempt }) => (attempt.error as Error | undefined)?.message ?? [])).toEqual(
      ['The shadow was not called: the limits of its target are exceeded.'],
    )
    expect((await post({ model: 'direct' })).status).toBe(429)
  })

  it('admit a mirrored call by itself, after the client of its request has left', async () => {
    const leaving = new AbortController()
    const main = named('main', () => {
      leaving.abort()
      return whole('main')
    })
    const copy = named('copy')
    const wait = { maxMs: 5_000, maxQueued: 5 }
    const queued = withCallOptions(copy.target, { limits: limits([requests(1).per('minute')], { wait }) })
    const { gateway, events } = serving(main.target, { route: models({ m: mirror(main.target, queued) }) })
    await gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
        signal: leaving.signal,
      }),
    )
    await expect.poll(() => events.filter(({ type }) => type === 'discarded_call').length).toBe(1)
    expect(copy.signals).toHaveLength(1)
  })

  it('end the wait of a mirrored call when the gateway closes', async () => {
    const [main, copy] = [named('main'), named('copy')]
    const wait = { maxMs: 60_000, maxQueued: 5 }
    const queued = withCallOptions(copy.target, { limits: limits([requests(1).per('minute')], { wait }) })
    const { post, gateway, events } = serving(main.target, {
      route: models({ m: mirror(main.target, queued) }),
    })
    for (let at = 0; at < 2; at++) expect((await post({})).status).toBe(200)
    await expect.poll(() => copy.signals.length).toBe(1)
    await gateway.close({ drainMs: 10 })
    const discarded = events.filter(({ type }) => type === 'discarded_call') as DiscardedCallEvent[]
    expect(copy.signals).toHaveLength(1)
    expect(discarded.map(({ attempt }) => attempt.error === undefined)).toEqual([true, false])
    expect(String(discarded[1]!.attempt.error)).not.toContain('limits')
  })

  it('bound concurrent calls, also of streams and of clients that leave', async () => {
    const first = named('first', (signal, index) => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [text('a')]
        if (index === 0) await forever(signal)
        yield [stop]
      })(),
    }))
    const second = named('second', () => stream([text('b')], [stop]))
    const route = models({
      m: fallback(withCallOptions(first.target, { limits: [concurrent(1)] }), second.target),
    })
    const { post } = serving(first.target, { route })
    const leaving = new AbortController()
    const held = await post({ stream: true }, { signal: leaving.signal })
    expect(await (await post({ stream: true })).text()).toContain('"b"')
    leaving.abort()
    await held.text().catch(() => {})
    expect(await (await post({ stream: true })).text()).toContain('"a"')
    expect(first.signals).toHaveLength(2)
  })

  it('count over all principals and models that lead to it, in a limiter of their own', async () => {
    const first = named('first')
    const own = limits([requests(1).per('hour')])
    const route = models({
      m: withCallOptions(first.target, { limits: own }),
      n: withCallOptions(first.target, { limits: own }),
    })
    const { post } = serving(first.target, {
      route,
      authenticate: request => ({ id: request.headers.get('x-who') ?? 'ann' }),
    })
    expect((await post({})).status).toBe(200)
    const headers = { 'content-type': 'application/json', 'x-who': 'bob' }
    expect((await post({ model: 'n' }, { headers })).status).toBe(429)
  })

  it('release what was admitted for a client that has left meanwhile, and call nothing', async () => {
    const first = named('first')
    let admit = (_: Lease) => {}
    const settled: unknown[] = []
    const slow: Limiter = { admit: () => new Promise<Lease>(resolve => (admit = resolve)) }
    const { post, ends } = serving(first.target, {
      route: models({ m: withCallOptions(first.target, { limits: slow }) }),
    })
    const leaving = new AbortController()
    const asked = post({}, { signal: leaving.signal }).catch(() => {})
    await turn()
    leaving.abort()
    await asked
    admit({ settle: usage => void settled.push(usage) })
    await turn()
    expect([settled, first.signals.length]).toEqual([[undefined], 0])
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected' }])
  })

  it('do not hold up the answer of another target while they decide', async () => {
    const first = named('first', async () => {
      await turn()
      await turn()
      return whole('first')
    })
    const second = named('second')
    const settled: unknown[] = []
    let admit = (_: Lease) => {}
    const slow: Limiter = { admit: () => new Promise<Lease>(resolve => (admit = resolve)) }
    const route = models({
      m: hedge(first.target, withCallOptions(second.target, { limits: slow }), { afterMs: 1 }),
    })
    const { post } = serving(first.target, { route, timeouts: { policyMs: 60_000 } })
    expect(await textOf(await post({}))).toBe('first')
    admit({ settle: usage => void settled.push(usage) })
    await turn()
    expect([settled, second.signals.length]).toEqual([[undefined], 0])
  })

  it('that fail to be released fail no request', async () => {
    const first = named('first', fails(503))
    const second = named('second')
    const broken: Limiter = {
      admit: () => ({ settle: () => Promise.reject(new Error('The store is down.')) }),
    }
    const entry = withCallOptions(first.target, { limits: broken, breaker: { failures: 1 } })
    const { post } = serving(first.target, {
      route: models({ m: fallback(entry, second.target) }),
      breaker: {},
    })
    // The first one fails at its vendor, the second at the circuit breaker.
    for (let at = 0; at < 2; at++) expect(await textOf(await post({}))).toBe('second')
    expect(first.signals).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['an unknown member', { timeout: {} }],
    ['a timeout of 0', { timeouts: { firstByteMs: 0 } }],
    ['the timeout to connect', { timeouts: { connectMs: 1 } }],
    ['no attempts', { maxAttempts: 0 }],
    ['a share above 1', { retry: { budget: 2 } }],
    ['no failures', { breaker: { failures: 0 } }],
    ['rules that are none', { limits: [{ kind: 'requests', limit: 0, per: 'minute' }] }],
  ])('are checked: %s', (_, options) => {
    const { target } = named('a')
    expect(() => withCallOptions(target, options)).toThrow(ConfigurationError)
  })
})

import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import {
  forever,
  type Scripted,
  scripted,
  stop,
  stream,
  text,
  whole,
} from '../../test/support/scripted-gateway.ts'
import { scriptedHealth } from '../../test/support/scripted-health.ts'
import { systemClock } from '../clock/clock.ts'
import type { Target } from '../contracts/provider.ts'
import type { SkipReason } from '../contracts/trace.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { defaultTimeouts } from '../gateway/config.ts'
import { Lifetime } from '../http/lifetime.ts'
import { AttemptLog } from '../observability/attempt-log.ts'
import { RunningShadows } from './attempts/running-shadows.ts'
import { call } from './call.ts'
import type { AttemptObserver, CallContext, CallDependencies } from './call-context.ts'
import { defaultRetry } from './health/health-options.ts'
import { noCaller } from './health/principal-caller.ts'

const failure = (status: number) => new UpstreamError('It failed.', { kind: 'refused', status })

function asking(targets: readonly Target[], streamed = false) {
  const health = scriptedHealth()
  const skipped: [string, SkipReason][] = []
  const observer: AttemptObserver = {
    attempts: new AttemptLog(),
    shadows: new RunningShadows(new Set()),
    attemptFailed: () => {},
    adjusted: () => {},
    skipped: ({ model }, why) => skipped.push([model, why]),
    admitCall: () => ({ settle() {} }),
    releaseLease() {},
    discarded: () => {},
  }
  const world: CallDependencies = {
    transport: () => Promise.reject(new Error('Nothing may leave.')),
    timeouts: defaultTimeouts,
    clock: systemClock,
    maxAttempts: 3,
    holdMs: 10,
    keepAliveMs: 60_000,
    unsupportedParameters: 'refuse',
    health,
    retry: defaultRetry,
  }
  const lifetime = new Lifetime(new AbortController().signal)
  const context: CallContext = {
    lifetime,
    caller: noCaller,
    committed: false,
    headAt: Number.POSITIVE_INFINITY,
    random: () => 0,
  }
  const ask = () =>
    call(chatRequest({ model: 'm', messages: [], stream: streamed }), targets, context, observer, world)
  return { ask, health, skipped, attempts: observer.attempts, lifetime }
}

const named = (model: string, { target }: Scripted): Target => ({ ...target, model })

describe('a request all of whose targets are left alone', () => {
  const open = (waitMs: number) => ({ state: 'open', waitMs }) as const

  it('is answered by one that may be tried as the last resort', async () => {
    const [a, b] = [scripted(() => whole('a')), scripted(() => whole('b'))]
    const { ask, health, skipped } = asking([named('a', a), named('b', b)])
    Object.assign(health.target('a'), { blocked: open(90_000), lastResortMs: 5_000 })
    Object.assign(health.target('b'), { blocked: open(60_000), lastResortMs: 0 })
    const answering = await ask()
    expect([a.signals.length, b.signals.length]).toEqual([0, 1])
    expect(skipped).toEqual([['a', { why: 'open', waitMs: 5_000 }]])
    answering.end(true)
  })

  it('is told when the first of them may be', async () => {
    const { ask, health, skipped } = asking([
      named(
        'a',
        scripted(() => whole('a')),
      ),
    ])
    Object.assign(health.target('a'), { blocked: open(90_000), lastResortMs: 5_000 })
    await expect(ask()).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(skipped).toEqual([['a', { why: 'open', waitMs: 5_000 }]])
  })

  it('asks none of them where another one can be', async () => {
    const [a, b] = [scripted(() => whole('a')), scripted(() => whole('b'))]
    const { ask, health, skipped } = asking([named('a', a), named('b', b)])
    Object.assign(health.target('a'), { blocked: open(90_000), lastResortMs: 0 })
    const answering = await ask()
    expect([a.signals.length, b.signals.length]).toEqual([0, 1])
    expect(skipped).toEqual([['a', { why: 'open', waitMs: 90_000 }]])
    answering.end(true)
  })
})

describe('the health of targets hears', () => {
  it('of an answer, when it has come and when it has ended', async () => {
    const { ask, health } = asking([
      named(
        'a',
        scripted(() => whole('hi')),
      ),
    ])
    const answering = await ask()
    const { heard } = health.target('a')
    expect(heard).toEqual(['answered'])
    expect(health.target('a').active).toBe(1)
    answering.end(true)
    expect(heard).toEqual(['answered', undefined])
    expect(health.target('a').active).toBe(0)
  })

  it('of the first content of a stream, also where its head was sent before', async () => {
    let go = () => {}
    const source = scripted(() => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [text('')]
        await new Promise<void>(resolve => {
          go = resolve
        })
        yield [text('a')]
        yield [stop]
      })(),
    }))
    const { ask, health } = asking([named('a', source)], true)
    const answering = await ask()
    const chunks = answering.answer as AsyncIterator<unknown>
    expect(health.target('a').heard).toEqual([])
    await chunks.next()
    go()
    await chunks.next()
    expect(health.target('a').heard).toEqual(['answered'])
    const broken = failure(500)
    answering.end(false, broken)
    expect(health.target('a').heard).toEqual(['answered', broken])
  })

  it('of a caller who leaves, as of nobody’s fault', async () => {
    const { ask, health, lifetime } = asking([named('a', scripted(forever))])
    const answering = ask()
    await new Promise(resolve => setImmediate(resolve))
    lifetime.end('client_disconnected')
    await expect(answering).rejects.toMatchObject({ name: 'LifeEnded' })
    expect(health.target('a').heard).toMatchObject([{ name: 'LifeEnded' }])
    const stays = asking(
      [
        named(
          'a',
          scripted(() => stream([text('a')])),
        ),
      ],
      true,
    )
    ;(await stays.ask()).end(false)
    expect(stays.health.target('a').heard).toMatchObject(['answered', { name: 'LifeEnded' }])
  })

  it('of every failure, and every call is ended', async () => {
    const refusing = scripted(() => whole(''), {
      encode: () => {
        throw new GatewayError('unsupported_value')
      },
    })
    const failing = scripted(() => Promise.reject(failure(500)))
    const { ask, health } = asking([named('a', refusing), named('b', failing)])
    await expect(ask()).rejects.toMatchObject({ status: 500 })
    expect(health.target('a').heard).toMatchObject([{ message: 'The upstream was not called.' }])
    expect(health.target('b').heard).toHaveLength(3)
    expect([health.target('a').active, health.target('b').active]).toEqual([0, 0])
  })
})

describe('the health of targets says', () => {
  it('which are not asked', async () => {
    const good = scripted(() => whole('hi'))
    const { ask, health, skipped, attempts } = asking([named('a', good), named('b', good), named('c', good)])
    health.target('a').blocked = { state: 'open', waitMs: 5_000 }
    health.target('b').blocked = { state: 'half_open', waitMs: 0 }
    ;(await ask()).end(true)
    expect(skipped).toEqual([
      ['a', { why: 'open', waitMs: 5_000 }],
      ['b', { why: 'open', waitMs: 0 }],
    ])
    expect(attempts.recordsAt(0, 0, undefined)).toMatchObject([{ model: 'c', why: 'first' }])
  })

  it.each([
    [{ state: 'open', waitMs: 12_340 }, '13', '12340'],
    [{ state: 'cooldown', waitMs: 400_000 }, '60', '60000'],
    [{ state: 'half_open', waitMs: 0 }, '1', '1000'],
  ] as const)('when to come back, where none is: %o', async (blocked, seconds, ms) => {
    const good = scripted(() => whole('hi'))
    const { ask, health, attempts } = asking([named('a', good), named('b', good)])
    health.target('a').blocked = blocked
    health.target('b').blocked = { state: 'open', waitMs: 500_000 }
    await expect(ask()).rejects.toMatchObject({
      reason: 'overloaded',
      headers: { 'retry-after': seconds, 'retry-after-ms': ms },
    })
    expect(good.inputs).toEqual([])
    expect([attempts.called, attempts.exhausted]).toEqual([0, false])
  })

  it('how often one may be asked again, and has each leave back', async () => {
    const { ask, health, skipped, attempts } = asking([
      named(
        'a',
        scripted(() => Promise.reject(failure(503))),
      ),
    ])
    health.target('a').repeats = 1
    await expect(ask()).rejects.toMatchObject({ status: 503 })
    expect(attempts.called).toBe(2)
    expect(health.target('a').repeating).toBe(0)
    expect(skipped).toEqual([['a', { why: 'retry_budget' }]])
    expect(attempts.exhausted).toBe(true)
  })

  it('that one which its own failure closed is not asked again', async () => {
    const open = asking([
      named(
        'a',
        scripted(() => {
          open.health.target('a').blocked = { state: 'open', waitMs: 1_000 }
          return Promise.reject(failure(503))
        }),
      ),
    ])
    await expect(open.ask()).rejects.toMatchObject({ status: 503 })
    expect(open.attempts.called).toBe(1)
    expect(open.skipped).toEqual([['a', { why: 'open', waitMs: 1_000 }]])
  })

  it('that a pause is over before one is asked again', async () => {
    const now = performance.now()
    const upstream = scripted((_, index) => {
      cooldown.health.target('a').blocked = { state: 'cooldown', waitMs: 30 }
      setTimeout(() => {
        delete cooldown.health.target('a').blocked
      }, 20)
      return index === 0 ? Promise.reject(failure(429)) : whole('hi')
    })
    const cooldown = asking([named('a', upstream)])
    ;(await cooldown.ask()).end(true)
    expect(performance.now() - now).toBeGreaterThanOrEqual(30)
    expect(cooldown.health.target('a').repeating).toBe(0)
  })
})

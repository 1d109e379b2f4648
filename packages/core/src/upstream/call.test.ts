import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import {
  chunks,
  type Scripted,
  scripted,
  stop,
  stream,
  text,
  whole,
} from '../../test/support/scripted-gateway.ts'
import { scriptedHealth } from '../../test/support/scripted-health.ts'
import { systemClock } from '../clock/clock.ts'
import type { Call, PartialChunk, PartialMessage, Reply, Target } from '../contracts/provider.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { defaultTimeouts } from '../gateway/config.ts'
import { Lifetime } from '../http/lifetime.ts'
import { AttemptLog } from '../observability/attempt-log.ts'
import { RunningShadows } from './attempts/running-shadows.ts'
import { call } from './call.ts'
import type { AttemptObserver, CallContext, CallDependencies, ChunkSource } from './call-context.ts'
import { noCaller } from './health/principal-caller.ts'

const world: CallDependencies = {
  transport: () => Promise.reject(new Error('Nothing may leave.')),
  timeouts: defaultTimeouts,
  clock: systemClock,
  maxAttempts: 3,
  holdMs: 60_000,
  keepAliveMs: 60_000,
  health: scriptedHealth(),
  retry: undefined,
  unsupportedParameters: 'refuse',
}
const failure = (status: number) => new UpstreamError('It failed.', { kind: 'refused', status })
const failing = (error: Error): Scripted => scripted(() => Promise.reject(error))

function ask(targets: readonly Target[], streamed: boolean, more: Partial<CallDependencies> = {}) {
  const failed: string[] = []
  const observer: AttemptObserver = {
    attempts: new AttemptLog(),
    shadows: new RunningShadows(new Set()),
    skipped: () => {},
    admitCall: () => ({ settle() {} }),
    releaseLease() {},
    discarded: () => {},
    attemptFailed: ({ target }) => failed.push(target.model),
    adjusted: () => {},
  }
  const lifetime = new Lifetime(new AbortController().signal)
  const context: CallContext = {
    lifetime,
    caller: noCaller,
    committed: false,
    headAt: Number.POSITIVE_INFINITY,
    random: () => 0.5,
  }
  const request = chatRequest({ model: 'm', messages: [], stream: streamed })
  const answering = call(request, targets, context, observer, { ...world, ...more })
  return { answering, context, attempts: observer.attempts, failed, lifetime }
}

const named = (model: string, { target }: Scripted): Target => ({ ...target, model })

describe('the targets', () => {
  it('are asked in order, each failure told that another one follows', async () => {
    const good = scripted(() => whole('hi'))
    const targets = [named('a', failing(failure(500))), named('b', failing(failure(429))), named('c', good)]
    const { answering, failed, attempts } = ask(targets, false)
    const { answer } = await answering
    expect(answer).toMatchObject({ completion: { choices: [{ message: { content: 'hi' } }] } })
    expect(failed).toEqual(['a', 'b'])
    expect(attempts.called).toBe(3)
  })

  it('are not asked more often than allowed', async () => {
    const last = scripted(() => whole('hi'))
    const targets = [failing(failure(500)).target, failing(failure(503)).target, last.target]
    const { answering, failed } = ask(targets, false, { maxAttempts: 2 })
    await expect(answering).rejects.toMatchObject({ status: 503 })
    expect(failed).toHaveLength(1)
    expect(last.inputs).toEqual([])
  })

  it.each([400, 413, 422])('are not asked after a %i, which is the fault of the request', async status => {
    const other = scripted(() => whole('hi'))
    await expect(ask([failing(failure(status)).target, other.target], false).answering).rejects.toMatchObject(
      { status },
    )
    expect(other.inputs).toEqual([])
  })

  it('are asked after one that cannot express the request, but not after other refusals of ours', async () => {
    const refusing = (reason: 'invalid_value' | 'model_not_found') =>
      scripted(() => whole('hi'), {
        encode: () => {
          throw new GatewayError(reason)
        },
      }).target
    const other = scripted(() => whole('hi'))
    await (await ask([refusing('invalid_value'), other.target], false).answering).end(true)
    expect(other.inputs).toHaveLength(1)
    const { answering } = ask([refusing('model_not_found'), other.target], false)
    await expect(answering).rejects.toMatchObject({ reason: 'model_not_found' })
    expect(other.inputs).toHaveLength(1)
  })

  it('are asked once more where they closed a kept connection, but not twice', async () => {
    const stale = new UpstreamError('It closed.', { kind: 'unreachable', staleConnection: true })
    const flaky = (times: number) =>
      scripted((_, index) => (index < times ? Promise.reject(stale) : whole('hi')))
    const once = flaky(1)
    await ask([once.target], false).answering
    expect(once.inputs).toHaveLength(2)
    const twice = flaky(2)
    await expect(ask([twice.target], false).answering).rejects.toBe(stale)
    expect(twice.inputs).toHaveLength(2)
    const other = scripted(() => whole('hi'))
    const capped = ask([flaky(9).target, other.target], false, { maxAttempts: 1 })
    await expect(capped.answering).rejects.toBe(stale)
  })

  it('are not asked once the caller has the head of an answer, or has left', async () => {
    const other = scripted(() => whole('hi'))
    const committed = ask([failing(failure(500)).target, other.target], false)
    committed.context.committed = true
    await expect(committed.answering).rejects.toMatchObject({ status: 500 })
    const left = ask([scripted(() => new Promise(() => {})).target, other.target], false)
    left.lifetime.end('client_disconnected')
    await expect(left.answering).rejects.toBeInstanceOf(LifeEnded)
    expect(other.inputs).toEqual([])
    expect([...committed.failed, ...left.failed]).toEqual([])
  })

  it('hear what is known of their model', async () => {
    const calls: Call[] = []
    const hearing = (capabilities?: Target['capabilities']) => {
      const { target } = scripted(() => whole('hi'), {
        encode: given => {
          calls.push(given)
          return { method: 'POST', url: 'scripted:', headers: {} }
        },
      })
      return capabilities === undefined ? target : { ...target, capabilities }
    }
    await ask([hearing()], false).answering
    await ask([hearing({ maxChoices: 8 })], false, { unsupportedParameters: 'drop' }).answering
    expect(calls[0]).toMatchObject({ model: 'upstream-model', unsupportedParameters: 'refuse' })
    expect('capabilities' in calls[0]!).toBe(false)
    expect(calls[1]).toMatchObject({ capabilities: { maxChoices: 8 }, unsupportedParameters: 'drop' })
  })

  it.each([
    [true, 'a complete answer', () => whole('hi')],
    [false, 'a stream', () => stream([text('hi'), stop])],
  ])('have to answer as asked: stream %j', async (streamed, got, reply) => {
    await expect(ask([scripted(reply).target], streamed).answering).rejects.toMatchObject({
      kind: 'garbled',
      message: `The provider returned ${got}, but the request was for the other.`,
    })
  })
})

describe('the first content of a stream', () => {
  const piece = (delta: PartialMessage): PartialChunk => ({ choices: [{ index: 0, delta }] })
  const contents: PartialChunk[] = [
    ...[text('a'), stop, piece({ refusal: 'No.' }), piece({ reasoning_content: 'hm' }), piece({ audio: {} })],
    ...[piece({ tool_calls: [] }), piece({ function_call: {} })],
    { choices: [{ index: 0, delta: {} }, ...text('a').choices] },
  ]
  const nothings = [{ choices: [] }, piece({}), piece({ content: '' }), piece({ content: null, refusal: '' })]

  it.each(contents)('is awaited: %j', async content => {
    const first = scripted(() => stream(nothings, [piece({}), content], failure(500) as Error))
    const other = scripted(() => stream([text('other'), stop]))
    const { answer } = await ask([first.target, other.target], true).answering
    const source = answer as ChunkSource
    expect((await source.next()).value).toBe(nothings)
    expect((await source.next()).value).toContain(content)
    await expect(source.next()).rejects.toMatchObject({ status: 500 })
    expect(other.inputs).toEqual([])
  })

  it.each(nothings)('is not: %j', async nothing => {
    const first = scripted(() => stream([nothing], failure(500) as Error))
    const other = scripted(() => stream([text('other'), stop]))
    const { answering, failed } = ask([first.target, other.target], true)
    const source = (await answering).answer as ChunkSource
    expect((await source.next()).value).toEqual([text('other'), stop])
    expect((await source.next()).done).toBe(true)
    expect(failed).toHaveLength(1)
  })

  it('is not awaited longer than the head may wait', async () => {
    let fail = (_: Error) => {}
    const late = async function* (): AsyncGenerator<readonly PartialChunk[]> {
      await new Promise((_, reject) => {
        fail = reject
      })
    }
    const reply: Reply = { kind: 'stream', chunks: late() }
    const { answer } = await ask([scripted(() => reply).target], true, { holdMs: 10 }).answering
    // Nobody reads yet: the failure must wait for who does.
    fail(failure(503))
    await new Promise(resolve => setImmediate(resolve))
    await expect((answer as ChunkSource).next()).rejects.toMatchObject({ status: 503 })
  })

  it('may be its end', async () => {
    const { answer } = await ask([scripted(() => stream([text('')])).target], true).answering
    expect(await (answer as ChunkSource).next()).toEqual({ done: false, value: [text('')] })
    expect((await (answer as ChunkSource).next()).done).toBe(true)
  })

  it('leaves the vendor when its reader does', async () => {
    const source = chunks([text('a')], [text('b')])
    const { answer } = await ask([scripted(() => ({ kind: 'stream', chunks: source })).target], true)
      .answering
    expect(await (answer as ChunkSource).return?.()).toEqual({ done: true, value: undefined })
    expect((await source.next()).done).toBe(true)
  })
})

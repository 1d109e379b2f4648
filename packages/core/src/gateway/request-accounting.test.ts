import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { chatRequest } from '../../test/support/chat-request.ts'
import { systemClock } from '../clock/clock.ts'
import type { EndEvent, GatewayEvent } from '../contracts/events.ts'
import type { Charge, LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import type { Lease } from '../contracts/limiter.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import type { GatewayError } from '../errors/errors.ts'
import { Lifetime } from '../http/lifetime.ts'
import type { Usage } from '../protocol/chat.ts'
import { RunningShadows } from '../upstream/attempts/running-shadows.ts'
import { estimatedUsage } from '../usage/usage.ts'
import { type AccountingServices, RequestAccounting } from './request-accounting.ts'
import { RequestContext } from './request-context.ts'

const request = chatRequest({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(40) }] })
const guess = estimatedUsage(request, 0)
const target = { provider: { name: 'p' }, model: 'up' } as Parameters<
  RequestAccounting['attempts']['begin']
>[0]
const lease = (more: Partial<Lease> = {}): Lease => ({ settle() {}, ...more })

function record(more: Partial<AccountingServices> = {}) {
  const events: GatewayEvent[] = []
  const closings: Promise<unknown>[] = []
  const time = { now: 1_000 }
  const services: AccountingServices = {
    prices: () => null,
    abandonedCalls: { charge: 'prompt', outputTokensPerSecond: 100, maxOutputTokens: 4_096 },
    ledger: undefined,
    generateId: () => 'f'.repeat(32),
    random: () => 0.5,
    exposesTrace: undefined,
    exposesCost: undefined,
    metadataTags: [],
    closing: work => closings.push(work),
    shadows: new RunningShadows(new Set()),
    ...more,
  }
  const clock = { ...systemClock, now: () => 1_700_000_000_000, monotonic: () => time.now }
  const lifetime = new Lifetime(new AbortController().signal)
  const context = new RequestContext('req_1', clock, lifetime, services.random)
  const onEvent = (event: GatewayEvent) => void events.push(event)
  const made = new RequestAccounting(context, services, onEvent, onEvent)
  return { made, context, time, events, closings, end: () => events[0] as EndEvent }
}

/** A record of a request that was let in, over a ledger that keeps what it is given. */
function entered(more: Partial<AccountingServices> = {}) {
  const given: { entry: LedgerEntry; progress: () => Charge | undefined }[] = []
  const closed: LedgerClosing[] = []
  const ledger = {
    open: (entry: LedgerEntry, progress: () => Charge | undefined) => void given.push({ entry, progress }),
    close: (closing: LedgerClosing) => void closed.push(closing),
  }
  const parts = record({ ledger, ...more })
  parts.context.principal = { id: 'ann', tags: { team: 'search' } }
  parts.context.model = 'm'
  return { ...parts, given, closed }
}

describe('RequestAccounting', () => {
  it('tells all of a request once, with times from its beginning', () => {
    const { made, context, time, events, end } = record()
    expect(context.dialect).toBeUndefined()
    context.principal = { id: 'ann' }
    context.model = 'm'
    time.now = 1_020
    made.firstByte()
    time.now = 1_050
    made.firstByte()
    const error = new Error('x')
    made.settled('refused', 400, error)
    made.settled('completed', 200)
    expect(events).toEqual([
      {
        type: 'end',
        requestId: 'req_1',
        at: 1_700_000_000_000,
        operation: 'generate',
        dialect: 'chat',
        outcome: 'refused',
        status: 400,
        principal: { id: 'ann' },
        model: 'm',
        stream: false,
        attempts: [],
        adjustments: [],
        usage: undefined,
        usageEstimated: false,
        cost: null,
        wouldHaveRefused: [],
        timings: { queue: 0, firstByte: 20, total: 50 },
        cache: undefined,
        replayed: false,
        trace: { seed: 2 ** 31, candidates: [], overheadMs: 20 },
        error,
      },
    ])
    expect(end().error).toBe(error)
  })

  it('tells of no first byte where there was none', () => {
    const { made, end } = record()
    made.settled('completed', 200)
    expect(end().timings).toEqual({ queue: 0, firstByte: undefined, total: 0 })
  })

  it('counts the time in queues, of those too that are still in one', () => {
    const { made, time, end } = record()
    const first = made.attempts.begin(target, 1_000)
    first.enqueue(1_000)
    first.dequeue(1_007)
    made.attempts.begin(target, 1_010).enqueue(1_010)
    time.now = 1_030
    made.settled('client_disconnected', 499)
    expect(end().timings.queue).toBe(27)
  })

  it('gives the room back once, with counts that nobody else holds', () => {
    const { made, end } = record()
    const settled: (Usage | undefined)[] = []
    made.admitted({ headers: { 'x-room': '1' }, settle: usage => void settled.push(usage) })
    expect(made.responseHeaders).toEqual({ 'x-room': '1' })
    made.answered({ usage: guess, estimated: true })
    made.settled('completed', 200)
    made.settled('refused', 400)
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
    made.settled('client_disconnected', 499)
    const settled: unknown[] = []
    made.admitted({ settle: (...given) => void settled.push(given) })
    expect(settled).toEqual([[undefined, null]])
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
    made.admitted({ settle })
    made.settled('completed', 200)
    expect(events).toHaveLength(1)
    await new Promise(resolve => setImmediate(resolve))
  })

  it('tells the caller of adjustments beside the room, those of the last target only', () => {
    const { made, end } = record()
    expect(made.responseHeaders).toEqual({})
    made.admitted({ headers: { 'x-room': '1' }, settle() {} })
    made.adjusted([{ parameter: 'seed', action: 'dropped' }])
    const [name = ''] = Object.keys(made.responseHeaders).filter(each => each !== 'x-room')
    expect(made.responseHeaders['x-room']).toBe('1')
    expect(made.responseHeaders[name]).toContain('seed')
    made.adjusted([])
    expect(made.responseHeaders).toEqual({ 'x-room': '1' })
    made.adjusted([{ parameter: 'n', action: 'mapped' }])
    made.settled('completed', 200)
    expect(end().adjustments).toEqual([{ parameter: 'n', action: 'mapped' }])
  })

  describe.each(['client_disconnected', 'gateway_closed'] as const)('of a request cut off as %s', outcome => {
    const left = async (called: boolean, usage?: Usage, error?: unknown) => {
      const { made, end } = record()
      await made.opened({ request, adjustments: [] }, target)
      if (usage !== undefined) made.answered({ usage, estimated: false })
      const attempt = made.attempts.begin(target, 1_000)
      attempt.called = called
      attempt.error = error
      made.settled(outcome, 499)
      return end()
    }

    it('estimates the counts where an upstream was asked and did not fail', async () => {
      expect(await left(true)).toMatchObject({ usage: guess, usageEstimated: true })
    })

    it('estimates none where no upstream was asked, or it failed', async () => {
      expect(await left(false)).toMatchObject({ usage: undefined, usageEstimated: false })
      expect(await left(true, undefined, new Error('x'))).toMatchObject({
        usage: undefined,
        usageEstimated: false,
      })
    })

    it('keeps the counts that there are', async () => {
      const usage = { ...guess, prompt_tokens: 7 }
      expect(await left(true, usage)).toMatchObject({ usage, usageEstimated: false })
    })

    it('estimates nothing where nothing can be, and nothing for other ends', async () => {
      const { made, end } = record()
      made.attempts.begin(target, 1_000).called = true
      made.settled(outcome, 499)
      expect(end()).toMatchObject({ usage: undefined, usageEstimated: false })
      const other = record()
      await other.made.opened({ request, adjustments: [] }, target)
      other.made.attempts.begin(target, 1_000).called = true
      other.made.settled('upstream_failed', 502)
      expect(other.end()).toMatchObject({ usage: undefined, usageEstimated: false })
    })
  })

  it('enters a valid request before its model is asked, as it is, under an id of its own', async () => {
    const { made, context, given, end } = entered({ prices: usage => usage.prompt_tokens / 1_000 })
    const tags = { team: 'search' }
    context.principal = { id: 'ann', tags }
    context.stream = true
    await made.opened({ request, adjustments: [] }, target)
    tags.team = 'other'
    expect(given[0]?.entry).toEqual({
      id: expect.stringMatching(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      requestId: 'req_1',
      operation: 'generate',
      dialect: 'chat',
      principal: 'ann',
      source: undefined,
      user: undefined,
      tags: { team: 'search' },
      model: 'm',
      stream: true,
      openedAt: 1_700_000_000_000,
      estimate: { promptTokens: 10, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: 0.01 },
    })
    expect(end()).toBeUndefined()
  })

  it('enters the operation, the dialect, the source of the principal and the end user, and tells of them', async () => {
    const { made, context, given, closed, events, end } = entered({
      prices: (_usage, { operation }) => (operation === 'embed' ? 7 : 1),
    })
    context.principal = { id: 'ann', source: 'api_keys' }
    context.operation = 'embed'
    context.dialect = { ...chatDialect, name: 'embeddings' }
    context.draft = chatDraft({ body: { model: 'm', user: 'eve' } })
    const told = { operation: 'embed', dialect: 'embeddings' }
    expect(context.beginEvent(context.principal, 'm')).toMatchObject(told)
    await made.opened({ request, adjustments: [] }, target)
    const discarded = made.attempts.begin(target, 1_000)
    discarded.called = true
    discarded.endedAt = 1_010
    made.discarded(discarded, { usage: guess, estimated: false })
    expect(events).toMatchObject([{ type: 'discarded_call', ...told, user: 'eve', cost: 7 }])
    events.length = 0
    made.attempts.begin(target, 1_010).called = true
    made.answered({ usage: guess, estimated: false })
    made.settled('completed', 200)
    const stored = { ...told, principal: 'ann', source: 'api_keys', user: 'eve', estimate: { cost: 7 } }
    expect(given[0]?.entry).toMatchObject(stored)
    expect(closed).toMatchObject([{ entry: stored, charge: { cost: 7 } }])
    expect(end()).toMatchObject({ ...told, user: 'eve', cost: 7 })
  })

  it('bounds the end user that a caller names, and keeps two of them apart', () => {
    const userOf = (name: string | undefined) => {
      const { made, context, end } = record()
      context.draft = chatDraft({ body: { model: 'm', user: name } })
      made.settled('completed', 200)
      return end().user
    }
    expect(userOf(undefined)).toBeUndefined()
    expect(userOf('')).toBeUndefined()
    expect(userOf('e'.repeat(256))).toBe('e'.repeat(256))
    const long = [userOf('e'.repeat(257)), userOf('e'.repeat(1_000_000))]
    for (const each of long) expect(each).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(long[0]).not.toBe(long[1])
  })

  it('tells what was used so far, and nothing while no upstream was asked', async () => {
    const { made, given } = entered()
    await made.opened({ request, adjustments: [] }, target)
    const progress = () => given[0]?.progress()
    expect(progress()).toBeUndefined()
    const attempt = made.attempts.begin(target, 1_000)
    made.streaming(() => ({ usage: { ...guess, completion_tokens: 5 }, estimated: true }))
    expect(progress()).toBeUndefined()
    attempt.called = true
    expect(progress()).toMatchObject({ promptTokens: 10, completionTokens: 5 })
    made.answered({ usage: { ...guess, completion_tokens: 7 }, estimated: false })
    expect(progress()).toMatchObject({ completionTokens: 7 })
  })

  it('closes its entry once, with who answered, what was used and what that costs', async () => {
    const { made, time, given, closed, end } = entered({ prices: () => 0.25 })
    const settled: unknown[] = []
    made.admitted(lease({ settle: (...all) => void settled.push(all) }))
    await made.opened({ request, adjustments: [] }, target)
    made.attempts.begin(target, 1_000).called = true
    made.answered({ usage: guess, estimated: false })
    time.now = 1_020
    made.firstByte()
    time.now = 1_050
    made.settled('completed', 200)
    made.settled('refused', 400)
    expect(closed).toEqual([
      {
        entry: given[0]?.entry,
        closedAt: 1_700_000_000_000,
        outcome: 'completed',
        status: 200,
        provider: 'p',
        upstreamModel: 'up',
        attempts: 1,
        charge: { promptTokens: 10, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: 0.25 },
        estimated: false,
        firstByteMs: 20,
        totalMs: 50,
      },
    ])
    expect(settled).toEqual([[guess, 0.25]])
    expect(end().cost).toBe(0.25)
  })

  it('charges nothing where no upstream took the request', async () => {
    const { made, closed, end } = entered({ prices: () => 0.25 })
    await made.opened({ request, adjustments: [] }, target)
    made.settled('upstream_failed', 502)
    expect(closed).toMatchObject([{ charge: undefined, estimated: false, provider: undefined, attempts: 0 }])
    expect(end().cost).toBeNull()
  })

  it('enters nothing that has ended, and needs no ledger', async () => {
    const { made, given, closed } = entered()
    made.settled('client_disconnected', 499)
    await made.opened({ request, adjustments: [] }, target)
    expect([given, closed]).toEqual([[], []])
    expect(record().made.opened({ request, adjustments: [] }, target)).toBeUndefined()
  })

  it.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('rows')
      },
    ],
    ['rejects', () => Promise.reject(new Error('rows'))],
  ])('refuses what spends where a ledger %s, and lets on what does not', async (_, open) => {
    const closed: LedgerClosing[] = []
    const ledger = { open, close: (closing: LedgerClosing) => void closed.push(closing) }
    const free = entered({ ledger })
    free.made.admitted(lease())
    await free.made.opened({ request, adjustments: [] }, target)
    free.made.settled('completed', 200)
    const spending = entered({ ledger })
    spending.made.admitted(lease({ spends: true }))
    const error: unknown = await spending.made
      .opened({ request, adjustments: [] }, target)
      ?.catch(error => error)
    expect(error).toMatchObject({ reason: 'ledger_unavailable', status: 503, cause: { message: 'rows' } })
    expect((error as GatewayError).message).not.toContain('rows')
    spending.made.settled('refused', 503, error)
    expect(closed.map(({ outcome, entry }) => [outcome, entry.principal])).toEqual([
      ['completed', 'ann'],
      ['refused', 'ann'],
    ])
  })

  it('closes no entry before its opening has come to its end, whatever that is', async () => {
    for (const ends of ['resolve', 'reject'] as const) {
      const heard: string[] = []
      let end = () => {}
      const opening = new Promise<void>((resolve, reject) => {
        end = ends === 'resolve' ? resolve : () => reject(new Error('rows'))
      })
      const ledger = { open: () => opening, close: () => void heard.push('closed') }
      const { made, closings } = entered({ ledger })
      const entering = made.opened({ request, adjustments: [] }, target)
      made.settled('client_disconnected', 499)
      await Promise.resolve()
      expect(heard).toEqual([])
      end()
      await entering
      await Promise.all(closings)
      expect(heard).toEqual(['closed'])
    }
  })

  it('hands over what is still being closed, which never rejects', async () => {
    const { made, closings } = entered({
      ledger: { open() {}, close: () => Promise.reject(new Error('rows')) },
    })
    made.admitted(lease({ settle: () => Promise.reject(new Error('store')) }))
    await made.opened({ request, adjustments: [] }, target)
    made.settled('completed', 200)
    expect(closings).toHaveLength(2)
    await expect(Promise.all(closings)).resolves.toBeDefined()
  })

  it('counts the wait for room as time in a queue, and outlives a lease that cannot tell', () => {
    const { made, end } = record()
    made.admitted(lease({ waitedMs: 30 }))
    made.settled('completed', 200)
    expect(end().timings.queue).toBe(30)
    const other = record()
    const broken = Object.defineProperty(lease(), 'waitedMs', {
      get() {
        throw new Error('waited')
      },
    })
    expect(() => other.made.admitted(broken)).toThrow('waited')
    other.made.settled('internal_error', 500)
    expect(other.events).toHaveLength(1)
  })

  it('hands over nothing where all is closed at once', async () => {
    const { made, closings } = entered()
    made.admitted(lease())
    await made.opened({ request, adjustments: [] }, target)
    made.settled('completed', 200)
    expect(closings).toEqual([])
  })
})

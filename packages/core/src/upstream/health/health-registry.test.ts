import { describe, expect, it, vi } from 'vitest'
import { begun, failure, scriptedBook } from '../../../test/support/scripted-book.ts'
import { systemClock } from '../../clock/clock.ts'
import type { HealthRecord } from '../../contracts/target-health.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { defaultBreaker } from './health-options.ts'
import { healthRegistry } from './health-registry.ts'

const provider = { name: 'north' }
const target = { provider, model: 'm' }

function fail(record: HealthRecord, times: number, now = 0, error: unknown = failure()): void {
  for (let index = 0; index < times; index++) begun(record.begin(now)).ended(error, now)
}

describe('a record of a HealthRegistry', () => {
  it('counts what is under way, and knows how soon it answers', () => {
    const record = scriptedBook().book.of(target)
    expect(record.view(0)).toEqual({ active: 0, firstTokenMs: undefined, state: 'closed', waitMs: 0 })
    const call = begun(record.begin(0))
    begun(record.begin(0))
    call.answered(300)
    call.answered(900)
    expect(record.view(300)).toEqual({ active: 2, firstTokenMs: 300, state: 'closed', waitMs: 0 })
    call.ended(undefined, 400)
    call.ended(failure(), 400)
    call.answered(9_000)
    expect(record.view(300)).toMatchObject({ active: 1, firstTokenMs: 300 })
  })

  it('is open after five failures one after another, and told of once', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    fail(record, 4)
    expect(told).toEqual([])
    const last = failure(503)
    fail(record, 1, 10, last)
    expect(record.begin(10)).toEqual({ state: 'open', waitMs: 30_000, reason: 'overloaded' })
    expect(record.view(20_010)).toMatchObject({ state: 'open', waitMs: 10_000 })
    expect(told).toEqual([
      {
        ...{ type: 'target', provider: 'north', model: 'm', state: 'open', waitMs: 30_000, error: last },
        ...{ reason: 'overloaded', scope: 'principal', unavailableMs: 0 },
      },
    ])
  })

  it('is asked as the last resort once a second, by whoever was not let through last, and as often never longer open', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    const [ann, bob] = [{ digest: 'ann' }, { digest: 'bob' }]
    const ask = (now: number, caller = ann) => record.begin(now, true, caller)
    for (let index = 0; index < 5; index++) {
      begun(record.begin(0, false, index % 2 === 0 ? ann : bob)).ended(failure(), 0)
    }
    expect(record.begin(999, true, ann)).toEqual({ state: 'open', waitMs: 29_001, reason: 'overloaded' })
    expect(record.lastResortMs(999, ann)).toBe(1)
    begun(ask(1_000)).ended(failure(), 1_001)
    expect(ask(1_999, bob)).toMatchObject({ state: 'open' })
    // Ann was let through last.
    expect(ask(2_000)).toMatchObject({ state: 'open' })
    begun(ask(2_000, bob)).ended(failure(), 2_001)
    begun(ask(3_000)).ended(failure(), 3_001)
    expect(ask(4_999)).toMatchObject({ state: 'open' })
    begun(ask(5_000)).ended(failure(), 5_001)
    expect(record.begin(5_001)).toMatchObject({ state: 'open', waitMs: 24_999 })
    begun(ask(6_000, bob)).answered(6_500)
    expect(record.view(6_500)).toMatchObject({ state: 'closed', waitMs: 0 })
    expect(told.map(({ state, scope, waitMs }) => [state, scope, waitMs])).toEqual([
      ['open', 'all', 30_000],
      ['closed', undefined, 0],
    ])
  })

  it('is asked by all as the last resort while it answers some calls, and not any more when 20 in a row have failed', () => {
    const record = scriptedBook().book.of(target)
    const ask = (now: number) => record.begin(now, true)
    fail(record, 5, 0)
    // It has answered nobody: it is dead.
    expect(ask(1)).toMatchObject({ state: 'open' })
    begun(ask(1_000)).ended(undefined, 1_000)
    fail(record, 5, 1_001)
    expect(record.begin(1_002)).toMatchObject({ state: 'open' })
    for (let index = 0; index < 14; index++) begun(ask(1_002)).ended(failure(), 1_002)
    const good = begun(ask(1_002))
    good.answered(1_003)
    good.ended(undefined, 1_003)
    // What is answered says that it is worth being asked, and not that it is well.
    expect(record.view(1_003).state).toBe('open')
    for (let index = 0; index < 20; index++) begun(ask(1_003)).ended(failure(), 1_003)
    expect(ask(1_003)).toMatchObject({ state: 'open' })
  })

  it('is not closed for all by one request of another principal that is sent again and again', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    const [ann, bob] = [{ digest: 'ann' }, { digest: 'bob' }]
    for (let index = 0; index < 5; index++) begun(record.begin(0, false, ann)).ended(failure(), 0)
    begun(record.begin(1, false, bob)).ended(failure(), 1)
    for (let index = 0; index < 2; index++) {
      const giveBack = record.acquireRetry(1)
      begun(record.begin(1, false, bob)).ended(failure(), 1)
      giveBack?.()
    }
    expect(record.view(1, bob)).toMatchObject({ state: 'closed', waitMs: 0 })
    expect(record.view(1, ann)).toMatchObject({ state: 'open', scope: 'principal' })
    begun(record.begin(2, false, bob)).ended(failure(), 2)
    expect(record.view(2, bob)).toMatchObject({ state: 'open', scope: 'all' })
    expect(told.map(({ state, scope }) => [state, scope])).toEqual([
      ['open', 'principal'],
      ['open', 'all'],
    ])
  })

  it('is opened for no principal again whose failures others contradicted shortly ago', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    const [ann, bob] = [{ digest: 'ann' }, { digest: 'bob' }]
    const annFails = (now: number) => {
      for (let index = 0; index < 50; index++) {
        const call = record.begin(now, false, ann)
        if ('ended' in call) call.ended(failure(), now)
      }
    }
    annFails(0)
    expect(record.view(0, ann).state).toBe('open')
    const good = begun(record.begin(1, false, bob))
    good.answered(2)
    good.ended(undefined, 2)
    expect(record.view(2, ann).state).toBe('closed')
    annFails(3)
    annFails(30_001)
    expect(record.view(30_001, ann).state).toBe('closed')
    annFails(30_002)
    expect(record.view(30_002, ann).state).toBe('open')
    expect(told.map(({ state }) => state)).toEqual(['open', 'closed', 'open'])
  })

  it('gives a pause that was asked for to the last resort too', () => {
    const record = scriptedBook().book.of(target)
    fail(record, 1, 0, new UpstreamError('No.', { kind: 'refused', status: 429, retryAfterMs: 2_000 }))
    expect(record.begin(1, true)).toMatchObject({ state: 'cooldown', waitMs: 1_999 })
    expect(record.lastResortMs(1)).toBe(1_999)
  })

  it('does not keep the last resort waiting for a pause that nobody asked for', () => {
    const record = scriptedBook().book.of(target)
    fail(record, 1, 0, failure(429))
    expect(record.begin(1)).toMatchObject({ state: 'cooldown', waitMs: 999 })
    expect(record.lastResortMs(1)).toBe(0)
    // Nothing is probed: all may pass who have nowhere else to go.
    const calls = [begun(record.begin(1, true)), begun(record.begin(1, true))]
    for (const call of calls) call.ended(undefined, 2)
    expect(record.view(999).state).toBe('cooldown')
    expect(record.view(1_000).state).toBe('closed')
  })

  it('F60 lets exactly one of 500 probe it, and is closed when that one answers', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    const old = begun(record.begin(0))
    fail(record, 5)
    const tries = Array.from({ length: 500 }, () => record.begin(30_000))
    const probes = tries.flatMap(call => ('state' in call ? [] : [call]))
    expect(probes).toHaveLength(1)
    expect(tries[1]).toEqual({ state: 'half_open', waitMs: 1_000, reason: 'overloaded' })
    old.ended(undefined, 30_001)
    expect(record.begin(30_001)).toMatchObject({ state: 'half_open' })
    probes[0]?.answered(30_100)
    expect(record.view(30_100)).toMatchObject({ state: 'closed', waitMs: 0 })
    probes[0]?.ended(undefined, 30_200)
    begun(record.begin(30_200))
    expect(told.map(({ state, waitMs }) => [state, waitMs])).toEqual([
      ['open', 30_000],
      ['half_open', 0],
      ['closed', 0],
    ])
  })

  it.each([
    ['a caller who left', new LifeEnded('client_disconnected')],
    ['a 400', failure(400)],
    ['a 404', failure(404)],
    ['a refusal of its provider', new GatewayError('unsupported_value')],
    ['a bug', new TypeError('x is not a function')],
  ])('takes a probe back that ends with %s', (_, error) => {
    const record = scriptedBook().book.of(target)
    fail(record, 5)
    begun(record.begin(30_000)).ended(error, 30_001)
    expect(record.view(30_001)).toMatchObject({ state: 'half_open', waitMs: 0 })
    begun(record.begin(30_001))
  })

  it('cools down where a probe is told to wait, and is probed then', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    fail(record, 5)
    begun(record.begin(30_000)).ended(failure(429, 2_000), 30_000)
    expect(record.begin(31_000)).toEqual({ state: 'cooldown', waitMs: 1_000, reason: 'rate_limited' })
    begun(record.begin(32_000))
    expect(record.begin(32_000)).toMatchObject({ state: 'half_open' })
    expect(told.map(({ state }) => state)).toEqual(['open', 'half_open', 'cooldown', 'half_open'])
  })

  it('is open for longer where its probe fails, and that is told again', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    fail(record, 5)
    fail(record, 1, 30_000)
    expect(record.view(30_000)).toMatchObject({ state: 'open', waitMs: 60_000 })
    expect(told.map(({ state }) => state)).toEqual(['open', 'half_open', 'open'])
  })

  it('cools down for the longest of several pauses, which a success of an earlier call does not end', () => {
    const { book, told } = scriptedBook()
    const record = book.of(target)
    const [early, first, second, third] = Array.from({ length: 4 }, () => begun(record.begin(0)))
    first?.ended(failure(429, 5_000), 0)
    second?.ended(failure(429, 20_000), 0)
    third?.ended(failure(429), 0)
    early?.answered(10)
    early?.ended(undefined, 20)
    expect(record.begin(1_000)).toEqual({ state: 'cooldown', waitMs: 19_000, reason: 'rate_limited' })
    begun(record.begin(20_000))
    expect(told.map(({ state, waitMs }) => [state, waitMs])).toEqual([
      ['cooldown', 5_000],
      ['closed', 0],
    ])
  })

  it('is not opened by pauses that it asks for', () => {
    const record = scriptedBook().book.of(target)
    for (let second = 0; second < 100; second++) fail(record, 1, second * 1_000, failure(429))
    expect(record.view(100_000).state).toBe('closed')
  })

  it('is not opened by what was under way while this process stood still', () => {
    let paused = true
    const { settings } = scriptedBook()
    const record = healthRegistry(settings, { began: () => {}, ended: () => paused }).of(target)
    fail(record, 100)
    expect(record.view(0).state).toBe('closed')
    paused = false
    fail(record, 5)
    expect(record.view(0).state).toBe('open')
  })

  it('F98 is not opened by what fails when its process goes on after a pause', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let now = 0
      const { settings } = scriptedBook({ clock: { ...systemClock, monotonic: () => now } })
      const record = healthRegistry(settings).of(target)
      const calls = Array.from({ length: 50 }, () => begun(record.begin(now)))
      now += 30_000
      for (const call of calls.slice(0, 25)) call.ended(failure(), now)
      vi.advanceTimersByTime(1_000)
      for (const call of calls.slice(25)) call.ended(failure(), now)
      expect(record.view(now).state).toBe('closed')
      fail(record, 5, now)
      expect(record.view(now).state).toBe('open')
    } finally {
      vi.useRealTimers()
    }
  })

  it('is never left alone where there is no breaker', () => {
    const { book, told } = scriptedBook({ breaker: undefined })
    const record = book.of(target)
    fail(record, 100)
    fail(record, 1, 0, failure(429, 60_000))
    fail(record, 1, 0, failure(401))
    expect(record.view(0)).toEqual({ active: 0, firstTokenMs: undefined, state: 'closed', waitMs: 0 })
    expect(told).toEqual([])
  })

  it('gives leave for repeats within its budget, and none where nothing is repeated', () => {
    const { book, settings } = scriptedBook()
    const record = book.of(target)
    fail(record, 1)
    const leaves = Array.from({ length: 4 }, () => record.acquireRetry(0))
    expect(leaves.map(leave => leave !== undefined)).toEqual([true, true, true, false])
    for (const leave of leaves) leave?.()
    book.follow({ ...settings, retry: undefined })
    begun(record.begin(100_000))
    expect(record.acquireRetry(100_000)).toBeUndefined()
  })
})

describe('healthRegistry', () => {
  it('knows a target by its provider and its model, whatever else is said of it', () => {
    const { book } = scriptedBook()
    expect(book.of({ ...target, ...{ parameters: {} } })).toBe(book.of(target))
    expect(book.of({ provider, model: 'other' })).not.toBe(book.of(target))
    expect(book.of({ provider: { name: 'north' }, model: 'm' })).not.toBe(book.of(target))
  })

  it('follows other options without forgetting', () => {
    const { book, settings, told } = scriptedBook()
    const record = book.of(target)
    fail(record, 2)
    book.follow({ ...settings, breaker: { ...defaultBreaker, failures: 3, openMs: 100 } })
    fail(record, 1)
    expect(record.view(0)).toMatchObject({ state: 'open', waitMs: 100 })
    const others: string[] = []
    book.follow({ ...settings, breaker: undefined, changed: ({ state }) => others.push(state) })
    begun(record.begin(0))
    expect(others).toEqual(['closed'])
    expect(told.map(({ state }) => state)).toEqual(['open'])
    book.follow(settings)
    begun(record.begin(0))
  })

  it('forgets models that are not asked, and none that matters', () => {
    const { book } = scriptedBook()
    const of = (model: string) => book.of({ provider, model })
    const open = of('open')
    fail(open, 5)
    const cooldown = of('cooldown')
    fail(cooldown, 1, 0, failure(429))
    const running = of('running')
    begun(running.begin(0))
    const repeating = of('repeating')
    repeating.acquireRetry(0)
    const idle = of('idle')
    const asked = of('asked')
    for (let index = 0; index < 5_000; index++) {
      of(`made-up-${index}`)
      of('asked')
    }
    expect(of('open')).toBe(open)
    expect(of('cooldown')).toBe(cooldown)
    expect(of('running')).toBe(running)
    expect(of('repeating')).toBe(repeating)
    expect(of('asked')).toBe(asked)
    expect(of('idle')).not.toBe(idle)
  })

  it('does not grow without end where all are left alone, nor keeps names that are none', () => {
    const { book } = scriptedBook()
    const of = (model: string) => book.of({ provider, model })
    const names = Array.from({ length: 10_100 }, (_, index) => `made-up-${index}`)
    const records = names.map(of)
    for (const record of records) fail(record, 5)
    expect(names.filter((name, index) => of(name) !== records[index]).length).toBeGreaterThanOrEqual(100)
    const long = 'x'.repeat(1_001)
    expect(of(long)).not.toBe(of(long))
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { begun, failure, type ScriptedBook, scriptedBook } from '../../../test/support/scripted-book.ts'
import {
  type ScriptedSharedHealth,
  scriptedSharedHealth,
} from '../../../test/support/scripted-shared-health.ts'
import { systemClock } from '../../clock/clock.ts'
import type { HealthRecord } from '../../contracts/target-health.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'

/** One clock for the timers, the store and all processes. */
const clock = systemClock.monotonic
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

let shared: ScriptedSharedHealth
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  shared = scriptedSharedHealth(clock)
})
afterEach(() => {
  vi.useRealTimers()
})

interface Process extends ScriptedBook {
  readonly record: HealthRecord
}

function startProcess(): Process {
  const scripted = scriptedBook({ clock: systemClock, shared })
  return { ...scripted, record: scripted.book.of({ provider: { name: 'north' }, model: 'm' }) }
}

const state = ({ record }: Process) => record.view(clock()).state
const ask = ({ record }: Process) => record.begin(clock())
const fail = (process: Process, times: number, error: unknown = failure()) => {
  for (let index = 0; index < times; index++) begun(ask(process)).ended(error, clock())
}

describe('a book whose health is shared', () => {
  it('leaves alone what another process opened, within two seconds, for as long', async () => {
    const [here, there] = [startProcess(), startProcess()]
    begun(ask(there)).ended(undefined, clock())
    await pass(100)
    fail(here, 5)
    for (let index = 0; index < 20; index++) {
      await pass(100)
      ask(there)
    }
    expect(state(there)).toBe('open')
    expect(there.record.view(clock()).waitMs).toBeCloseTo(here.record.view(clock()).waitMs, 0)
    expect(there.told.map(event => event.state)).toEqual(['open'])
    expect(here.told.map(event => event.state)).toEqual(['open'])
  })

  it('leaves alone what was told to wait elsewhere', async () => {
    const [here, there] = [startProcess(), startProcess()]
    fail(here, 1, failure(429, 20_000))
    await pass(10)
    expect(state(there)).toBe('closed')
    await pass(1_000)
    expect(there.record.view(clock())).toMatchObject({ state: 'cooldown' })
    // Many refusals are one pause.
    expect(shared.asked.write).toBe(1)
  })

  it('leaves alone for one principal what another process opened for that one, until a second one saw it fail', async () => {
    const [here, there] = [startProcess(), startProcess()]
    const [ann, bob] = [{ digest: 'ann' }, { digest: 'bob' }]
    begun(ask(there)).ended(undefined, clock())
    await pass(100)
    for (let index = 0; index < 5; index++)
      begun(here.record.begin(clock(), false, ann)).ended(failure(), clock())
    ask(there)
    await pass(1_100)
    expect(there.record.view(clock(), ann)).toMatchObject({ state: 'open', scope: 'principal' })
    expect(there.record.view(clock(), bob)).toMatchObject({ state: 'closed', waitMs: 0 })
    for (let index = 0; index < 2; index++)
      begun(there.record.begin(clock(), false, bob)).ended(failure(), clock())
    expect(there.record.view(clock(), bob)).toMatchObject({
      state: 'open',
      scope: 'all',
      reason: 'overloaded',
    })
    ask(here)
    await pass(2_000)
    expect(here.record.view(clock(), { digest: 'cem' })).toMatchObject({ state: 'open', scope: 'all' })
  })

  it('is closed in all processes where another principal is answered in one', async () => {
    const [here, there] = [startProcess(), startProcess()]
    const [ann, bob] = [{ digest: 'ann' }, { digest: 'bob' }]
    begun(ask(there)).ended(undefined, clock())
    for (let index = 0; index < 5; index++)
      begun(here.record.begin(clock(), false, ann)).ended(failure(), clock())
    await pass(1_100)
    begun(there.record.begin(clock(), false, bob)).answered(clock())
    await pass(10)
    here.record.begin(clock(), false, ann)
    await pass(1_100)
    expect([here, there].map(({ record }) => record.view(clock(), ann).state)).toEqual(['closed', 'closed'])
  })

  it('keeps a pause of one principal for that one, and the shorter one of two for all', async () => {
    const [here, there] = [startProcess(), startProcess()]
    const [ann, bob, cem] = [{ digest: 'ann' }, { digest: 'bob' }, { digest: 'cem' }]
    begun(here.record.begin(clock(), false, ann)).ended(failure(429, 20_000), clock())
    ask(there)
    await pass(1_100)
    ask(there)
    await pass(1_100)
    const waits = () =>
      [ann, bob, cem].map(each => Math.round(there.record.view(clock(), each).waitMs / 1_000))
    expect(waits()).toEqual([18, 0, 0])
    begun(there.record.begin(clock(), false, bob)).ended(failure(429, 5_000), clock())
    expect(waits()).toEqual([18, 5, 5])
    here.record.view(clock())
    await pass(1_100)
    expect(Math.round(here.record.view(clock(), cem).waitMs / 1_000)).toBe(4)
  })

  it.each([
    ['its network', 5, new UpstreamError('x', { kind: 'unreachable' })],
    ['its credentials', 1, failure(401)],
  ])('does not leave alone for others what fails one process for %s', async (_, times, error) => {
    const [here, there] = [startProcess(), startProcess()]
    fail(here, times, error)
    expect('state' in ask(here)).toBe(true)
    for (let round = 0; round < 30; round++) {
      begun(ask(there)).ended(undefined, clock())
      await pass(100)
    }
    expect([there.told, shared.asked.write]).toEqual([[], 0])
  })

  it('lets another process probe where the network of one fails', async () => {
    const [here, there] = [startProcess(), startProcess()]
    fail(here, 5)
    ask(there)
    await pass(1_100)
    ask(there)
    await pass(30_000)
    ask(here)
    await pass(10)
    begun(ask(here)).ended(new UpstreamError('x', { kind: 'connect_timeout' }), clock())
    expect(state(here)).toBe('open')
    ask(there)
    await pass(10)
    begun(ask(there))
  })

  it('makes one probe over all processes; its success closes all', async () => {
    const processes = [startProcess(), startProcess(), startProcess()]
    fail(processes[0]!, 5)
    for (const process of processes) ask(process)
    await pass(2_000)
    for (const process of processes) ask(process)
    await pass(29_000)
    const probes = []
    for (let round = 0; round < 50; round++) {
      for (const process of processes) {
        const call = ask(process)
        if (!('state' in call)) probes.push(call)
      }
      await pass(100)
    }
    expect(probes).toHaveLength(1)
    probes[0]?.answered(clock())
    probes[0]?.ended(undefined, clock())
    await pass(10)
    for (const process of processes) ask(process)
    await pass(1_100)
    for (const process of processes) expect(state(process)).toBe('closed')
  })

  it('lets another process probe where a probe says nothing', async () => {
    const [here, there] = [startProcess(), startProcess()]
    fail(here, 5)
    ask(there)
    await pass(1_100)
    ask(there)
    await pass(30_000)
    ask(here)
    await pass(10)
    const probe = begun(ask(here))
    ask(there)
    await pass(1_100)
    expect(ask(there)).toMatchObject({ state: 'half_open' })
    probe.ended(new LifeEnded('client_disconnected'), clock())
    await pass(1_100)
    ask(there)
    await pass(10)
    begun(ask(there))
  })

  it('is opened for longer everywhere where a probe fails', async () => {
    const [here, there] = [startProcess(), startProcess()]
    fail(here, 5)
    ask(there)
    await pass(1_100)
    ask(there)
    await pass(30_000)
    ask(here)
    await pass(10)
    begun(ask(here)).ended(failure(), clock())
    for (let index = 0; index < 3; index++) {
      ask(there)
      await pass(1_000)
    }
    expect(state(there)).toBe('open')
    expect(there.record.view(clock()).waitMs).toBeGreaterThan(55_000)
  })

  it('goes on by itself where the store fails, tells of it once, and tells what it missed when it works', async () => {
    const [here, there] = [startProcess(), startProcess()]
    shared.fails = true
    fail(here, 5)
    for (let index = 0; index < 3; index++) {
      expect(ask(here)).toMatchObject({ state: 'open' })
      await pass(1_000)
    }
    expect(here.stores.map(event => [event.store, event.state])).toEqual([['health', 'failing']])
    shared.fails = false
    ask(here)
    await pass(1_100)
    expect(here.stores.map(event => event.state)).toEqual(['failing', 'working'])
    ask(there)
    await pass(1_100)
    expect(state(there)).toBe('open')
    shared.fails = true
    await pass(30_000)
    // The first that asks does not know yet.
    ask(here)
    await pass(100)
    begun(ask(here)).ended(undefined, clock())
    expect(state(here)).toBe('closed')
  })

  it('asks no more of a store that hangs than it can remember', async () => {
    const here = startProcess()
    shared.hangs = true
    for (let second = 0; second < 50; second++) {
      begun(ask(here)).ended(undefined, clock())
      await pass(1_000)
    }
    expect(here.stores.map(event => event.state)).toEqual(['failing'])
    expect(shared.asked.read).toBe(8)
    shared.hangs = false
    for (let second = 0; second < 20; second++) {
      begun(ask(here))
      await pass(1_000)
    }
    expect(here.stores.map(event => event.state)).toEqual(['failing', 'working'])
  })

  it('reads once a second while it is asked for, and not else', async () => {
    const here = startProcess()
    for (let index = 0; index < 100; index++) {
      ask(here)
      await pass(100)
    }
    expect(shared.asked.read).toBeGreaterThanOrEqual(10)
    expect(shared.asked.read).toBeLessThanOrEqual(12)
    await pass(1_000)
    const { read } = shared.asked
    await pass(60_000)
    expect(shared.asked.read).toBe(read)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('closes nothing that was opened here by what others knew before', async () => {
    const [here, there] = [startProcess(), startProcess()]
    fail(here, 5)
    ask(there)
    await pass(31_000)
    ask(here)
    await pass(10)
    begun(ask(here)).ended(undefined, clock())
    await pass(10)
    // It hears of the closing when it has opened by itself.
    const late = startProcess()
    fail(late, 5)
    shared.fails = true
    await pass(100)
    shared.fails = false
    ask(late)
    await pass(2_000)
    expect(state(late)).toBe('open')
  })

  it('keeps no more targets to be read than it can, however many are asked for', async () => {
    const { book } = startProcess()
    const provider = { name: 'north' }
    for (let index = 0; index < 12_000; index++) book.of({ provider, model: `m${index}` }).view(clock())
    await pass(20_000)
    expect(shared.asked.read).toBe(100)
    book.of({ provider, model: 'm11999' }).view(clock())
    await pass(1_000)
    expect(shared.asked.read).toBe(101)
  })

  it('closes nothing by what was read before it was opened here', async () => {
    const here = startProcess()
    const closed = [{ id: 'north/m', breaker: { openings: 0, openMs: 0 } }]
    await shared.write(closed)
    begun(ask(here)).ended(undefined, clock())
    await pass(5_000)
    await shared.write(closed)
    const before = await shared.read(['north/m'])
    let answer = (_: typeof before) => {}
    shared.read = () => new Promise(resolve => (answer = resolve))
    begun(ask(here)).ended(undefined, clock())
    await pass(1)
    fail(here, 5)
    await pass(10)
    answer(before)
    await pass(10)
    expect(here.stores).toEqual([])
    expect(state(here)).toBe('open')
  })

  it('does not probe by a claim from before it was opened again', async () => {
    const here = startProcess()
    fail(here, 5)
    await pass(30_000)
    const { acquireProbe } = shared
    let answer = (_: boolean) => {}
    shared.acquireProbe = () => new Promise(resolve => (answer = resolve))
    expect(ask(here)).toMatchObject({ state: 'half_open' })
    await shared.write([{ id: 'north/m', breaker: { openings: 2, openMs: 500 } }])
    await pass(20)
    answer(true)
    await pass(480)
    shared.acquireProbe = acquireProbe
    await shared.acquireProbe('north/m', 'another', 60_000)
    for (let index = 0; index < 5; index++) {
      expect(ask(here)).toMatchObject({ state: 'half_open' })
      await pass(100)
    }
  })

  it('closes nothing by the first that it hears', async () => {
    await shared.write([{ id: 'north/m', breaker: { openings: 0, openMs: 0 } }])
    const here = startProcess()
    here.book.follow({ ...here.settings, shared: undefined })
    fail(here, 5)
    here.book.follow(here.settings)
    ask(here)
    await pass(1_100)
    expect(shared.asked.read).toBe(1)
    expect(state(here)).toBe('open')
  })

  it.each([
    ['nothing', undefined],
    ['a text', 'OK'],
    ['too few', []],
    ['no states', [5]],
    ['no numbers', [{ generation: 1, openings: '1', openMs: 5, cooldownMs: 0 }]],
    ['less than nothing', [{ generation: 1, openings: 1, openMs: -5, cooldownMs: 0 }]],
    ['NaN', [{ generation: 1, openings: 1, openMs: Number.NaN, cooldownMs: 0 }]],
  ])('takes %s that a store gives for a failure', async (_, given) => {
    const wrong = { ...shared, read: async () => given as never, write: async () => given as never }
    const { book, stores } = scriptedBook({ clock: systemClock, shared: wrong })
    const record = book.of({ provider: { name: 'north' }, model: 'm' })
    for (let index = 0; index < 5; index++) begun(record.begin(clock())).ended(failure(), clock())
    await pass(2_000)
    expect(stores.map(event => event.state)).toEqual(['failing'])
    expect(record.view(clock()).state).toBe('open')
  })

  it('believes nobody that a target is to be left alone for longer than it may be', async () => {
    const here = startProcess()
    await shared.write([{ id: 'north/m', breaker: { openings: 1, openMs: 1e12 }, cooldownMs: 1e12 }])
    ask(here)
    await pass(1_100)
    expect(here.record.view(clock()).waitMs).toBeLessThanOrEqual(300_000)
  })

  it('follows another store, and none', async () => {
    const here = startProcess()
    const other = scriptedSharedHealth(clock)
    here.book.follow({ ...here.settings, shared: other })
    ask(here)
    await pass(10)
    expect(other.asked.read).toBe(1)
    here.book.follow({ ...here.settings, shared: undefined })
    await pass(5_000)
    ask(here)
    await pass(5_000)
    expect(shared.asked.read + other.asked.read).toBe(1)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { StoreBreaker, type StoreBreakerPolicy } from './store-breaker.ts'
import { StoreClient, type StoreClientOptions } from './store-client.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const passing = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const opensAtOnce = { failuresToOpen: 1, firstProbeMs: 0, lastProbeMs: 0 }
const hangs = () => new Promise<never>(() => {})
const fails = () => Promise.reject(new Error('down'))
const answers = async () => 'answer'
const after = (ms: number) => () =>
  new Promise<string>(resolve => void setTimeout(() => resolve('answer'), ms))

function callsWith(options: Partial<StoreClientOptions> = {}, policy: StoreBreakerPolicy = {}) {
  const states: string[] = []
  const calls = new StoreClient({
    name: 'test store',
    timeoutMs: 50,
    clock: systemClock,
    breaker: new StoreBreaker({ clock: systemClock, changed: state => states.push(state), ...policy }),
    ...options,
  })
  return { calls, states }
}

/** What came of a call so far. */
function watch<T>(outcome: T | Promise<T>) {
  const seen: { outcome?: T } = {}
  void Promise.resolve(outcome).then(value => {
    seen.outcome = value
  })
  return seen
}

describe('StoreClient', () => {
  it('fails a call after its timeout, and hands its outcome on afterwards', async () => {
    const { calls } = callsWith()
    const late: unknown[] = []
    const call = watch(calls.call(after(70), outcome => late.push(outcome)))
    await passing(49)
    expect(call.outcome).toBeUndefined()
    await passing(1)
    expect(call.outcome).toMatchObject({
      ok: false,
      error: { message: 'The test store timed out after 50 ms.' },
    })
    expect(late).toEqual([])
    await passing(20)
    expect(late).toEqual([{ ok: true, value: 'answer' }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [true, false],
    [false, true],
  ])('fails the calls in flight when it opens, with failsFast: %s', async (failsFast, waits) => {
    const { calls } = callsWith({ failsFast })
    const call = watch(calls.call(after(20)))
    for (let count = 0; count < 5; count++) await calls.call(fails)
    await passing(0)
    expect(calls.usable).toBe(false)
    expect(call.outcome === undefined).toBe(waits)
    await passing(20)
    expect(call.outcome?.ok).toBe(waits)
  })

  it('makes no call while it is open but one probe, when it is time for it', async () => {
    const { calls, states } = callsWith()
    for (let count = 0; count < 5; count++) await calls.call(fails)
    let asked = 0
    const count = async () => {
      asked++
    }
    expect(await calls.callOrProbe(count)).toMatchObject({ ok: false, error: { message: 'down' } })
    await passing(250)
    expect(await calls.call(count)).toMatchObject({ ok: false })
    const probes = await Promise.all([1, 2, 3].map(() => calls.callOrProbe(count)))
    expect(probes.map(({ ok }) => ok)).toEqual([true, false, false])
    expect([asked, calls.usable, states]).toEqual([1, true, ['failing', 'working']])
  })

  it('is not closed by a probe that takes longer than a call may', async () => {
    const { calls, states } = callsWith({ probeTimeoutMs: 1_000 }, opensAtOnce)
    await calls.call(fails)
    const slow = watch(calls.callOrProbe(after(60)))
    await passing(60)
    expect([slow.outcome, calls.usable]).toEqual([{ ok: true, value: 'answer' }, false])
    const hanging = watch(calls.callOrProbe(hangs))
    await passing(1_000)
    expect(hanging.outcome).toMatchObject({
      ok: false,
      error: { message: 'The test store timed out after 1000 ms.' },
    })
    expect(await calls.callOrProbe(answers)).toEqual({ ok: true, value: 'answer' })
    expect(states).toEqual(['failing', 'working'])
  })

  it('makes no more calls than may be unanswered, for a minute', async () => {
    const { calls } = callsWith({ maxUnanswered: 3 }, opensAtOnce)
    let asked = 0
    const ask = async (run: () => Promise<unknown>) => {
      const call = watch(
        calls.callOrProbe(() => {
          asked++
          return run()
        }),
      )
      await passing(50)
      return call.outcome
    }
    for (let count = 0; count < 5; count++) await ask(hangs)
    expect(asked).toBe(3)
    expect(await ask(answers)).toMatchObject({
      error: { message: 'The test store has 3 pending operations, expected fewer: it does not respond.' },
    })
    await passing(60_000)
    expect(await ask(answers)).toEqual({ ok: true, value: 'answer' })
  })

  it('throws what a store throws at once for what it was given', () => {
    const { calls, states } = callsWith({ rethrowsInvalid: true })
    const wrong = () => {
      throw new TypeError('wrong')
    }
    expect(() => calls.call(wrong)).toThrow('wrong')
    expect(states).toEqual([])
  })

  it('takes whatever else a store throws at once for a failure of it', () => {
    const { calls, states } = callsWith({}, opensAtOnce)
    const error = new TypeError('wrong')
    const wrong = () => {
      throw error
    }
    expect(calls.call(wrong)).toEqual({ ok: false, error })
    expect(states).toEqual(['failing'])
  })

  it('reads no option from Object.prototype', async () => {
    Object.assign(Object.prototype, { maxUnanswered: 0, failuresToOpen: 1, failsFast: true })
    try {
      const { calls } = callsWith()
      await calls.call(fails)
      expect(await calls.call(answers)).toEqual({ ok: true, value: 'answer' })
    } finally {
      for (const name of ['maxUnanswered', 'failuresToOpen', 'failsFast']) {
        Reflect.deleteProperty(Object.prototype, name)
      }
    }
  })
})

import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { FairQueue, type FairQueueOptions, type QueueRefusal } from './fair-queue.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** What a store says: room, or a refusal with its wait. */
type Result =
  | { readonly room: string }
  | (QueueRefusal & { readonly room?: undefined; readonly said: number })

let said = 0
const refused = (waitMs: number, ...keys: string[]): Result => ({ waitMs, keys, said: said++ })
const stays = () => new AbortController().signal

function queueOf(given: Partial<FairQueueOptions<Result>> = {}) {
  const givenBack: Result[] = []
  const queue = new FairQueue<Result>({
    maxMs: 1_000,
    maxQueued: 100,
    clock: systemClock,
    refusedBy: result => (result.room === undefined ? result : undefined),
    release: result => givenBack.push(result),
    ...given,
  })
  return { queue, givenBack }
}

/** Leases: each attempt takes one, if one is free. */
class Leases {
  free = 0
  readonly given: string[] = []
  attempts = 0
  readonly take =
    (name: string, waitMs = 0) =>
    (): Result => {
      this.attempts++
      if (this.free === 0) return refused(waitMs, 'leases')
      this.free--
      this.given.push(name)
      return { room: name }
    }
}

function listeners(): { signal: AbortSignal; count: () => number; controller: AbortController } {
  const controller = new AbortController()
  const added = vi.spyOn(controller.signal, 'addEventListener')
  const removed = vi.spyOn(controller.signal, 'removeEventListener')
  return {
    controller,
    signal: controller.signal,
    count: () => added.mock.calls.length - removed.mock.calls.length,
  }
}

/** What a request has come to by now. */
function watch(waiting: Result | Promise<Result>): { result?: Result; error?: unknown } {
  const seen: { result?: Result; error?: unknown } = {}
  void Promise.resolve(waiting).then(
    result => {
      seen.result = result
    },
    error => {
      seen.error = error
    },
  )
  return seen
}

describe('FairQueue', () => {
  it('gives room that is there at once, without a promise', () => {
    const { queue } = queueOf()
    expect(queue.wait('a', stays(), () => ({ room: 'a' }))).toEqual({ room: 'a' })
    expect(vi.getTimerCount()).toBe(0)
    expect(queue.size).toBe(0)
  })

  it('gives room that is there in a promise where the store does', async () => {
    const { queue } = queueOf()
    expect(await queue.wait('a', stays(), async () => ({ room: 'a' }))).toEqual({ room: 'a' })
    expect(queue.size).toBe(0)
  })

  it('tries again when the known wait has passed, and not before', async () => {
    const { queue } = queueOf()
    const from = performance.now()
    const tried: number[] = []
    const waiting = watch(
      queue.wait('a', stays(), () => {
        tried.push(performance.now() - from)
        return tried.length === 1 ? refused(120, 'k') : { room: 'a' }
      }),
    )
    await vi.advanceTimersByTimeAsync(119)
    expect(tried).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(7)
    expect(waiting.result).toEqual({ room: 'a' })
    expect(tried[1]).toBeGreaterThanOrEqual(120)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('refuses at once where the wait is known to be too long, or has no end', () => {
    const { queue } = queueOf()
    for (const waitMs of [1_001, Number.POSITIVE_INFINITY, Number.NaN]) {
      const refusal = refused(waitMs, 'k')
      expect(queue.wait('a', stays(), () => refusal)).toBe(refusal)
    }
    expect(queue.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('refuses as soon as the wait is known to be too long', async () => {
    const { queue } = queueOf()
    const answers = [refused(100, 'k'), refused(950, 'k')]
    const last = answers[1]
    const waiting = watch(queue.wait('a', stays(), () => answers.shift() as Result))
    await vi.advanceTimersByTimeAsync(110)
    expect(waiting.result).toBe(last)
    expect(queue.size).toBe(0)
  })

  it('refuses by its last refusal when the wait is over', async () => {
    const { queue } = queueOf()
    const leases = new Leases()
    const from = performance.now()
    const waiting = Promise.resolve(queue.wait('a', stays(), leases.take('a')))
    await vi.advanceTimersByTimeAsync(1_000)
    const result = await waiting
    expect(result.room).toBeUndefined()
    expect(performance.now() - from).toBeLessThanOrEqual(1_001)
    // At once, every 250 ms, and a last time.
    expect(leases.attempts).toBe(5)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tries at once when a lease is given back, and only who waits for it', async () => {
    const { queue } = queueOf()
    const leases = new Leases()
    const other = vi.fn(() => refused(0, 'others'))
    const waiting = watch(queue.wait('a', stays(), leases.take('a')))
    watch(queue.wait('b', stays(), other))
    leases.free = 1
    queue.released(['leases'])
    await Promise.resolve()
    await Promise.resolve()
    expect(waiting.result).toEqual({ room: 'a' })
    expect(other).toHaveBeenCalledTimes(1)
  })

  it('asks for one released lease no more often than it has to', () => {
    const { queue } = queueOf()
    const leases = new Leases()
    for (let count = 0; count < 500; count++) watch(queue.wait(`${count}`, stays(), leases.take(`${count}`)))
    leases.attempts = 0
    leases.free = 1
    queue.released(['leases'])
    expect(leases.given).toEqual(['0'])
    expect(leases.attempts).toBe(2)
    leases.free = 1
    queue.released(['leases'])
    expect(leases.given).toEqual(['0', '1'])
  })

  it('asks no more often where leases are released faster than it can ask', async () => {
    const { queue } = queueOf()
    const asked: ((result: Result) => void)[] = []
    const attempt = () => new Promise<Result>(resolve => asked.push(resolve))
    for (let count = 0; count < 40; count++) watch(queue.wait(`${count}`, stays(), attempt))
    for (const answer of asked.splice(0)) answer(refused(0, 'k'))
    await vi.advanceTimersByTimeAsync(1)
    queue.released(['k'])
    expect(asked).toHaveLength(16)
    queue.released(['k'])
    // The second release was not heard by who asks at the moment: those ask once more, and nobody else.
    for (let round = 0; round < 3; round++) {
      for (const answer of asked.splice(0)) answer(refused(0, 'k'))
      await vi.advanceTimersByTimeAsync(1)
      expect(asked.length).toBeLessThanOrEqual(16)
    }
    expect(asked).toHaveLength(0)
  })

  it('turns to something else after a hundred tries', async () => {
    const { queue } = queueOf()
    const leases = new Leases()
    for (let count = 0; count < 250; count++) watch(queue.wait(`${count}`, stays(), leases.take(`${count}`)))
    leases.free = 250
    queue.released(['leases'])
    expect(leases.given).toHaveLength(100)
    await vi.advanceTimersByTimeAsync(2)
    expect(leases.given).toHaveLength(250)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('hears of a lease that is given back while it asks', async () => {
    const { queue } = queueOf()
    const answers: ((result: Result) => void)[] = []
    const waiting = watch(queue.wait('a', stays(), () => new Promise(resolve => answers.push(resolve))))
    queue.released(['k'])
    answers[0]?.(refused(0, 'k'))
    await vi.advanceTimersByTimeAsync(1)
    expect(answers).toHaveLength(2)
    queue.released(['k'])
    answers[1]?.(refused(0, 'k'))
    await vi.advanceTimersByTimeAsync(1)
    expect(answers).toHaveLength(3)
    answers[2]?.({ room: 'a' })
    await vi.advanceTimersByTimeAsync(1)
    expect(waiting.result).toEqual({ room: 'a' })
  })

  it('lets nobody overtake another of the same principal', async () => {
    const { queue } = queueOf()
    const leases = new Leases()
    watch(queue.wait('a', stays(), leases.take('first')))
    leases.free = 2
    watch(queue.wait('a', stays(), leases.take('second')))
    expect(leases.given).toEqual([])
    await vi.advanceTimersByTimeAsync(300)
    expect(leases.given).toEqual(['first', 'second'])
  })

  it('keeps the order of arrival where the store answers in another one', async () => {
    const { queue } = queueOf()
    const answers = new Map<string, ((result: Result) => void)[]>()
    const ask = (name: string) => () =>
      new Promise<Result>(resolve => answers.set(name, [...(answers.get(name) ?? []), resolve]))
    for (const name of ['first', 'second']) watch(queue.wait('a', stays(), ask(name)))
    answers.get('second')?.[0]?.(refused(0, 'k'))
    await vi.advanceTimersByTimeAsync(1)
    answers.get('first')?.[0]?.(refused(0, 'k'))
    await vi.advanceTimersByTimeAsync(1)
    queue.released(['k'])
    expect(answers.get('first')).toHaveLength(2)
    expect(answers.get('second')).toHaveLength(1)
  })

  it('refuses who finds too many of its principal, and nobody else', () => {
    const { queue } = queueOf({ maxQueued: 2 })
    const leases = new Leases()
    for (let count = 0; count < 2; count++) watch(queue.wait('a', stays(), leases.take('a')))
    leases.free = 1
    expect(queue.wait('a', stays(), leases.take('a'))).toMatchObject({ keys: ['leases'] })
    expect(queue.wait('b', stays(), leases.take('b'))).toEqual({ room: 'b' })
    expect(queue.size).toBe(2)
  })

  it('refuses who finds too many in all', () => {
    const { queue } = queueOf({ maxTotal: 3 })
    const leases = new Leases()
    for (const principal of ['a', 'b', 'c']) watch(queue.wait(principal, stays(), leases.take('')))
    expect(queue.wait('d', stays(), leases.take(''))).toMatchObject({ keys: ['leases'] })
    expect(queue.size).toBe(3)
  })

  it('lets go who leaves, at once, with its listener', async () => {
    const { queue } = queueOf()
    const leases = new Leases()
    const { controller, signal, count } = listeners()
    const waiting = watch(queue.wait('a', signal, leases.take('a')))
    const behind = watch(queue.wait('a', stays(), leases.take('behind')))
    expect(count()).toBe(1)
    leases.free = 1
    controller.abort(new Error('gone'))
    await vi.advanceTimersByTimeAsync(0)
    expect(waiting.error).toMatchObject({ reason: 'client_disconnected', cause: new Error('gone') })
    expect(behind.result).toEqual({ room: 'behind' })
    expect(count()).toBe(0)
    expect(queue.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets nobody in who has left already', () => {
    const { queue } = queueOf()
    const attempt = vi.fn(() => refused(0))
    expect(() => queue.wait('a', AbortSignal.abort(), attempt)).toThrow('The client disconnected')
    expect(attempt).not.toHaveBeenCalled()
  })

  it('lets go who leaves while it is asked for the first time', async () => {
    const { queue } = queueOf()
    const controller = new AbortController()
    const waiting = watch(queue.wait('a', controller.signal, async () => refused(0)))
    controller.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(waiting.error).toMatchObject({ reason: 'client_disconnected' })
    expect(queue.size).toBe(0)
  })

  it('gives back what comes for one who has left', async () => {
    const { queue, givenBack } = queueOf()
    const controller = new AbortController()
    const answers: ((result: Result) => void)[] = []
    watch(queue.wait('a', controller.signal, () => new Promise(resolve => answers.push(resolve))))
    answers[0]?.(refused(10, 'k'))
    await vi.advanceTimersByTimeAsync(20)
    const behind = watch(queue.wait('a', stays(), () => ({ room: 'behind' })))
    controller.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(behind.result).toEqual({ room: 'behind' })
    expect(givenBack).toEqual([])
    answers[1]?.({ room: 'nobody' })
    await vi.advanceTimersByTimeAsync(0)
    expect(givenBack).toEqual([{ room: 'nobody' }])
  })

  it('throws what a first attempt throws', async () => {
    const { queue } = queueOf()
    const fault = new Error('closed')
    expect(() =>
      queue.wait('a', stays(), () => {
        throw fault
      }),
    ).toThrow(fault)
    await expect(queue.wait('a', stays(), () => Promise.reject(fault))).rejects.toBe(fault)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('closed')
      },
    ],
    ['rejects', () => Promise.reject(new Error('closed'))],
  ] as const)('tells what an attempt %s to its own request', async (_, fail) => {
    const { queue } = queueOf()
    const leases = new Leases()
    let tries = 0
    const failing = watch(queue.wait('a', stays(), () => (tries++ === 0 ? refused(10) : fail())))
    const behind = watch(queue.wait('a', stays(), leases.take('behind')))
    leases.free = 1
    await vi.advanceTimersByTimeAsync(20)
    expect(failing.error).toEqual(new Error('closed'))
    expect(behind.result).toEqual({ room: 'behind' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells one that never had its turn the last refusal of its line', async () => {
    const { queue } = queueOf()
    let answer: ((result: Result) => void) | undefined
    let tries = 0
    const first = watch(
      queue.wait('a', stays(), () =>
        tries++ === 0
          ? refused(990, 'k')
          : new Promise(resolve => {
              answer = resolve
            }),
      ),
    )
    const second = watch(queue.wait('a', stays(), () => ({ room: 'b' })))
    await vi.advanceTimersByTimeAsync(1_005)
    expect(second.result).toMatchObject({ keys: ['k'] })
    expect(first.result).toBeUndefined()
    answer?.({ room: 'just in time' })
    await vi.advanceTimersByTimeAsync(0)
    expect(first.result).toEqual({ room: 'just in time' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('asks a store for no more than 16 at once', async () => {
    const { queue } = queueOf()
    let asking = 0
    let most = 0
    let tries = 0
    const attempt = async () => {
      most = Math.max(most, ++asking)
      tries++
      await new Promise(resolve => setTimeout(resolve, 10))
      asking--
      return tries > 100 ? { room: '' } : refused(20, 'k')
    }
    const all = Array.from({ length: 40 }, (_, index) => watch(queue.wait(`${index}`, stays(), attempt)))
    await vi.advanceTimersByTimeAsync(10)
    most = 0
    await vi.advanceTimersByTimeAsync(990)
    expect(most).toBe(16)
    expect(all.every(({ result }) => result?.room === '')).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets nobody starve behind many who try in vain while the store is slow', async () => {
    const { queue } = queueOf({ maxMs: 10_000 })
    const slowly = (attempt: () => Result) => () =>
      new Promise<Result>(resolve => setTimeout(() => resolve(attempt()), 45))
    for (let index = 0; index < 200; index++) {
      void queue.wait(
        `busy ${index}`,
        stays(),
        slowly(() => refused(0, `of ${index}`)),
      )
    }
    let tries = 0
    const late = watch(
      queue.wait(
        'late',
        stays(),
        slowly(() => (tries++ === 0 ? refused(400, 'own') : { room: 'late' })),
      ),
    )
    await vi.advanceTimersByTimeAsync(2_000)
    expect(late.result).toEqual({ room: 'late' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(queue.size).toBe(0)
  })
})

describe('FairQueue, by properties', () => {
  it('shares room between principals: nobody has more than one above another who still waits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 6 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom<'release' | 'time'>('release', 'time'),
        fc.boolean(),
        async (sizes, rooms, way, later) => {
          vi.useFakeTimers()
          const { queue } = queueOf({ maxMs: 100_000 })
          const leases = new Leases()
          for (const [principal, size] of sizes.entries()) {
            for (let count = 0; count < size; count++) {
              const take = leases.take(`${principal}`, way === 'time' ? 10 : 0)
              watch(queue.wait(`${principal}`, stays(), later ? async () => take() : take))
            }
          }
          await vi.advanceTimersByTimeAsync(0)
          for (const room of rooms) {
            leases.free += room
            if (way === 'release') queue.released(['leases'])
            await vi.advanceTimersByTimeAsync(way === 'release' ? 1 : 20)
            const given = sizes.map((_, index) => leases.given.filter(name => name === `${index}`).length)
            const waiting = given.filter((count, index) => count < (sizes[index] as number))
            if (waiting.length > 0) expect(Math.max(...given) - Math.min(...waiting)).toBeLessThanOrEqual(1)
            expect(waiting.length === 0 || leases.free === 0).toBe(true)
          }
          leases.free = 100
          queue.released(['leases'])
          await vi.advanceTimersByTimeAsync(500)
          expect(queue.size).toBe(0)
          expect(vi.getTimerCount()).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('has one of a principal try at a time, keeps their order, and leaves nothing behind', async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('come' as const),
        principal: fc.nat(3),
        waitMs: fc.constantFrom(0, 3, 40, 400),
      }),
      fc.record({ do: fc.constant('leave' as const), who: fc.nat(20) }),
      fc.record({ do: fc.constant('free' as const), told: fc.boolean() }),
      fc.record({ do: fc.constant('break' as const), who: fc.nat(20) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 5, 30, 300) }),
    )
    const steps = fc.array(step, { maxLength: 80, size: 'max' })
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0, 7), async (run, takesMs) => {
        vi.useFakeTimers()
        const crowd = new Crowd(takesMs)
        for (const now of run) {
          if (now.do === 'come') crowd.come(now.principal, now.waitMs)
          else if (now.do === 'leave') crowd.leave(now.who)
          else if (now.do === 'break') crowd.break(now.who)
          else if (now.do === 'free') crowd.release(now.told)
          else await vi.advanceTimersByTimeAsync(now.ms)
          expect(crowd.queue.size === 0 || vi.getTimerCount() > 0).toBe(true)
        }
        await vi.advanceTimersByTimeAsync(1_100)
        crowd.expectRest()
      }),
      { numRuns: 150 },
    )
  })
})

/** Requests of several principals for one count of leases, whose store takes its time. */
class Crowd {
  readonly queue: FairQueue<Result>
  readonly #takesMs: number
  readonly #requests: Coming[] = []
  /** Who tries again at the moment, of each principal. */
  readonly #trying = new Map<number, Coming>()
  /** Whom of those who waited room was given to. */
  readonly #given: Coming[] = []
  readonly #faults: string[] = []
  #free = 1
  #taken = 0

  constructor(takesMs: number) {
    this.#takesMs = takesMs
    const giveBack = () => {
      this.#taken--
      this.#free++
    }
    this.queue = queueOf({ maxQueued: 5, release: giveBack }).queue
  }

  come(principal: number, waitMs: number): void {
    const { controller, signal, count } = listeners()
    const coming: Coming = { principal, controller, count, broken: false, tried: false, seen: {} }
    this.#requests.push(coming)
    try {
      coming.seen = watch(this.queue.wait(`${principal}`, signal, () => this.#attempt(coming, waitMs)))
    } catch (error) {
      coming.seen = { error }
    }
  }

  leave(who: number): void {
    const coming = this.#requests[who]
    if (coming !== undefined && this.#trying.get(coming.principal) === coming) {
      this.#trying.delete(coming.principal)
    }
    coming?.controller.abort()
  }

  break(who: number): void {
    const coming = this.#requests[who]
    if (coming !== undefined) coming.broken = true
  }

  release(told: boolean): void {
    this.#free++
    if (told) this.queue.released(['k'])
  }

  expectRest(): void {
    expect(this.#faults).toEqual([])
    for (const { seen, count } of this.#requests) {
      expect('result' in seen || 'error' in seen).toBe(true)
      expect(count()).toBeLessThanOrEqual(0)
    }
    expect(this.#requests.filter(({ seen }) => seen.result?.room !== undefined)).toHaveLength(this.#taken)
    for (const principal of [0, 1, 2, 3]) {
      const order = this.#given
        .filter(coming => coming.principal === principal)
        .map(coming => this.#requests.indexOf(coming))
      expect(order).toEqual([...order].sort((a, b) => a - b))
    }
    expect(this.queue.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  }

  #attempt(coming: Coming, waitMs: number): Result | Promise<Result> {
    const waited = coming.tried || this.#requests.at(-1) !== coming || this.#waits(coming.principal)
    coming.tried = true
    if (waited) {
      if (this.#trying.has(coming.principal)) this.#faults.push('Two try at once.')
      this.#trying.set(coming.principal, coming)
    }
    const decide = () => {
      if (this.#trying.get(coming.principal) === coming) this.#trying.delete(coming.principal)
      return this.#decide(coming, waitMs, waited)
    }
    if (this.#takesMs === 0) return decide()
    return new Promise(resolve => setTimeout(resolve, this.#takesMs)).then(decide)
  }

  #waits(principal: number): boolean {
    return this.#requests.some(
      other => other.principal === principal && other.count() > 0 && !('result' in other.seen),
    )
  }

  #decide(coming: Coming, waitMs: number, waited: boolean): Result {
    if (coming.broken) throw new Error('broken')
    if (this.#free === 0) return refused(waitMs, 'k')
    this.#free--
    this.#taken++
    if (waited && !coming.controller.signal.aborted) this.#given.push(coming)
    return { room: 'k' }
  }
}

interface Coming {
  readonly principal: number
  readonly controller: AbortController
  readonly count: () => number
  broken: boolean
  tried: boolean
  seen: ReturnType<typeof watch>
}

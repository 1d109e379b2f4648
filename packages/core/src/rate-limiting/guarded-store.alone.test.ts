import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ScriptedLimitStore } from '../../test/support/scripted-limit-store.ts'
import { systemClock } from '../clock/clock.ts'
import type { StoreEvent } from '../contracts/events.ts'
import type {
  Claim,
  Counter,
  DecidedClaim,
  LeaseCounter,
  LimitStore,
  RateCounter,
  SumCounter,
} from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { freshId } from '../primitives/random.ts'
import { guardedStore } from './guarded-store.ts'
import type { GuardedStoreOptions } from './limits-options.ts'
import { memoryLimitStore } from './memory-limit-store.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const clock = systemClock.monotonic
let ids = 0

interface Open {
  readonly claim: Claim
  readonly decided: DecidedClaim
}

function claimOf(...counters: Counter[]): Claim {
  return { id: (ids++).toString(16).padStart(32, '0'), ttlMs: 30_000, counters }
}

function lease(limit = 10, key = 'lease'): LeaseCounter {
  return { kind: 'lease', key, limit, dryRun: false }
}

function rate(limit = 10, key = 'rate'): RateCounter {
  return { kind: 'rate', key, limit, windowMs: 60_000, amount: 1, dryRun: false }
}

function sum(limit = 1_000, amount = 100): SumCounter {
  return { kind: 'sum', key: 'sum', limit, amount, floor: 0, window: 'ever', dryRun: false }
}

function guarded(store: LimitStore, given: Partial<GuardedStoreOptions> = {}) {
  const events: StoreEvent[] = []
  const local = memoryLimitStore()
  const guard = guardedStore(store, {
    onStoreFailure: { requests: 'local', tokens: 'local', concurrent: 'local', budget: 'closed' },
    instances: 4,
    timeoutMs: 50,
    observe: event => {
      if (event.type === 'store') events.push(event)
    },
    clock: systemClock,
    generateId: freshId,
    local,
    ...given,
  })
  return { guard, events, local }
}

/** Makes the store's breaker open: five requests fail. */
async function giveUp(store: ScriptedLimitStore, guard: ReturnType<typeof guarded>['guard']) {
  store.mode = 'rejects'
  for (let count = 0; count < 5; count++) await guard.admit(claimOf(rate(1_000, 'opening')), ['requests'])
}

describe('a store that answers at once', () => {
  it('is answered at once, and starts no timer', () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard } = guarded(store)
    const decided = guard.admit(claimOf(rate()), ['requests']) as DecidedClaim
    expect(decided.decision).toMatchObject({ allowed: true, counters: [{ over: false, remaining: 9 }] })
    expect(decided.settle([0])).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
    expect(store.asked).toBe(1)
  })

  it('is told what was charged, once', () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard } = guarded(store)
    const claim = claimOf(sum(), lease())
    const decided = guard.admit(claim, ['budget', 'concurrent']) as DecidedClaim
    expect(store.memory.held).toBe(1)
    decided.settle([30, 0])
    decided.settle([0, 0])
    expect(store.settled).toEqual([{ id: claim.id, counters: claim.counters, charged: [30, 0] }])
    expect(store.memory.held).toBe(0)
  })

  it('has what it refused settled by nobody', () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard } = guarded(store)
    const decided = guard.admit(claimOf(sum(10, 100)), ['budget']) as DecidedClaim
    expect(decided.decision.allowed).toBe(false)
    decided.settle([0])
    expect(store.settled).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([TypeError, RangeError])('throws %o for a claim that makes no sense', Wrong => {
    const store: LimitStore = {
      admit() {
        throw new Wrong('limit')
      },
      settle() {},
      renew() {},
    }
    const { guard, events } = guarded(store)
    for (let count = 0; count < 10; count++) {
      expect(() => guard.admit(claimOf(rate()), ['requests'])).toThrow(Wrong)
    }
    expect(events).toEqual([])
  })

  it('is done without when it throws', () => {
    const store = new ScriptedLimitStore('throws')
    const { guard, events } = guarded(store)
    for (let count = 0; count < 8; count++) {
      const decided = guard.admit(claimOf(rate(100)), ['requests']) as DecidedClaim
      expect(decided.decision.allowed).toBe(true)
    }
    expect(store.asked).toBe(5)
    expect(events).toHaveLength(1)
  })

  it.each([
    undefined,
    {},
    { allowed: true },
    { allowed: true, counters: [] },
    { allowed: true, counters: [null] },
  ])('lets nobody in by the verdict %j', verdict => {
    const store = { admit: () => verdict, settle() {}, renew() {} } as unknown as LimitStore
    expect(() => guarded(store).guard.admit(claimOf(rate()), ['requests'])).toThrow(TypeError)
  })
})

describe('a store that answers later', () => {
  it('decides, and leaves no timer', async () => {
    const store = new ScriptedLimitStore()
    const { guard } = guarded(store)
    const { decision: verdict } = await guard.admit(claimOf(rate()), ['requests'])
    expect(verdict).toMatchObject({ allowed: true, counters: [{ remaining: 9 }] })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has one timer for all that is under way', async () => {
    const store = new ScriptedLimitStore('hangs')
    const { guard } = guarded(store)
    const deciding = Array.from({ length: 100 }, () => guard.admit(claimOf(rate(1_000)), ['requests']))
    expect(vi.getTimerCount()).toBe(1)
    store.thaw()
    await Promise.all(deciding)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is given back what it allowed too late', async () => {
    const store = new ScriptedLimitStore('hangs')
    const { guard } = guarded(store)
    const claim = claimOf(lease(), { ...rate(), floor: 0 })
    const deciding = guard.admit(claim, ['concurrent', 'tokens'])
    await vi.advanceTimersByTimeAsync(51)
    const { decision: verdict } = await deciding
    expect(verdict.counters[0]).toMatchObject({ over: false, remaining: 1 })
    store.thaw()
    await vi.advanceTimersByTimeAsync(0)
    expect(store.settled).toEqual([{ id: claim.id, counters: claim.counters, charged: [0, 0] }])
    expect(store.memory.held).toBe(0)
  })

  it('is given nothing back that it refused too late, or that holds nothing', async () => {
    const store = new ScriptedLimitStore('hangs')
    const { guard } = guarded(store)
    store.memory.admit(claimOf(lease(1)))
    const deciding = [
      guard.admit(claimOf(lease(1)), ['concurrent']),
      guard.admit(claimOf(rate()), ['requests']),
    ]
    await vi.advanceTimersByTimeAsync(51)
    await Promise.all(deciding)
    store.thaw()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.settled).toEqual([])
  })

  it('is given back what it may have taken before the connection was lost', async () => {
    const store = new ScriptedLimitStore('loses')
    const { guard } = guarded(store)
    const deciding = guard.admit(claimOf(lease()), ['concurrent'])
    const decided = await deciding
    expect(store.memory.held).toBe(1)
    store.mode = 'answers'
    await vi.advanceTimersByTimeAsync(250)
    expect(store.memory.held).toBe(0)
    await decided.settle([0])
  })

  it('hears what came while this process stood still', async () => {
    vi.useRealTimers()
    const { port1, port2 } = new MessageChannel()
    const memory = memoryLimitStore()
    const answers: (() => void)[] = []
    port2.onmessage = () => answers.shift()?.()
    const store: LimitStore = {
      admit: claim => {
        port1.postMessage('')
        return new Promise(resolve => answers.push(() => resolve(memory.admit(claim))))
      },
      settle() {},
      renew() {},
    }
    const { guard, events } = guarded(store, { timeoutMs: 20 })
    const deciding = await new Promise<(DecidedClaim | Promise<DecidedClaim>)[]>(resolve => {
      // Timers that are due are called before anything is read: the deadline would be the first to come.
      setTimeout(() => {
        resolve(Array.from({ length: 10 }, () => guard.admit(claimOf(rate()), ['requests'])))
        const until = performance.now() + 60
        while (performance.now() < until);
      }, 1)
    })
    const remaining = (await Promise.all(deciding)).map(
      ({ decision: verdict }) => verdict.counters[0]?.remaining,
    )
    expect(remaining).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    expect(events).toEqual([])
    port1.close()
  })
})

describe('P13: a store that hangs', () => {
  it('holds up five requests for 50 ms each, and none after them', async () => {
    const store = new ScriptedLimitStore('hangs')
    const { guard, events } = guarded(store)
    const waits: number[] = []
    for (let count = 0; count < 1_000; count++) {
      const from = clock()
      const deciding = Promise.resolve(guard.admit(claimOf(rate(10_000)), ['requests']))
      let decided = false
      void deciding.then(() => {
        decided = true
      })
      for (let turn = 0; turn < 10 && !decided; turn++) await Promise.resolve()
      while (!decided) await vi.advanceTimersByTimeAsync(1)
      const wait = clock() - from
      if (wait > 0) waits.push(wait)
    }
    expect(waits).toHaveLength(5)
    expect(Math.max(...waits)).toBeLessThanOrEqual(51)
    expect(events).toMatchObject([{ type: 'store', store: 'limits', state: 'failing' }])
    expect(store.admitted.filter(({ counters }) => counters[0]?.key === 'rate')).toHaveLength(5)
  })

  it('is given up after five admissions, whatever is settled meanwhile without an answer', async () => {
    const memory = memoryLimitStore()
    let hangs = false
    const settled: string[] = []
    const store: LimitStore = {
      admit: claim => (hangs ? new Promise(() => {}) : Promise.resolve(memory.admit(claim))),
      settle: settlement => void settled.push(settlement.id),
      renew() {},
    }
    const { guard, events } = guarded(store, { acknowledges: false })
    const open = await Promise.all(
      Array.from({ length: 4 }, () => guard.admit(claimOf(lease()), ['concurrent'])),
    )
    hangs = true
    for (let count = 0; count < 5; count++) {
      const admitted = guard.admit(claimOf(rate()), ['requests'])
      await vi.advanceTimersByTimeAsync(60)
      await admitted
      open[count]?.settle([0])
    }
    expect(settled).toHaveLength(4)
    expect(events.map(({ state }) => state)).toEqual(['failing'])
  })

  it('is settled later where nothing can be sent', async () => {
    const memory = memoryLimitStore()
    let isFull = true
    const settled: string[] = []
    const store: LimitStore = {
      admit: claim => Promise.resolve(memory.admit(claim)),
      settle(settlement) {
        if (isFull) throw new Error('full')
        settled.push(settlement.id)
      },
      renew() {},
    }
    const { guard } = guarded(store, { acknowledges: false })
    const claim = claimOf(lease())
    const { settle } = await guard.admit(claim, ['concurrent'])
    expect(settle([0])).toBeUndefined()
    isFull = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(settled).toEqual([claim.id])
  })

  it('lets all go that came at once, when the first five are given up', async () => {
    const store = new ScriptedLimitStore('hangs')
    const { guard } = guarded(store)
    const from = clock()
    const deciding = Array.from({ length: 1_000 }, () => guard.admit(claimOf(rate(10_000)), ['requests']))
    await vi.advanceTimersByTimeAsync(51)
    const { decision: verdict } = (await Promise.all(deciding))[999] as DecidedClaim
    expect(verdict.allowed).toBe(true)
    expect(clock() - from).toBeLessThanOrEqual(51)
    expect(vi.getTimerCount()).toBe(1)
  })

  it('lets all go that came one after another, when the fifth is given up', async () => {
    const store = new ScriptedLimitStore('hangs')
    const { guard } = guarded(store)
    const from = clock()
    const ends: number[] = []
    for (let count = 0; count < 10; count++) {
      const deciding = Promise.resolve(guard.admit(claimOf(rate(10_000)), ['requests']))
      void deciding.then(() => ends.push(clock() - from))
      await vi.advanceTimersByTimeAsync(5)
    }
    await vi.advanceTimersByTimeAsync(100)
    expect(ends.map(ms => Math.round(ms))).toEqual([50, 55, 60, 65, 70, 70, 70, 70, 70, 70])
  })

  it('N9: is asked again within 5 s of its recovery, however long it was away, and is told of once', async () => {
    for (const awayMs of [1_000, 10_000, 600_000]) {
      const store = new ScriptedLimitStore()
      const { guard, events } = guarded(store)
      await giveUp(store, guard)
      store.mode = 'hangs'
      const before = store.asked
      await vi.advanceTimersByTimeAsync(awayMs)
      // No more than one probe at a time, each farther from the one before it.
      expect(store.asked - before).toBeLessThanOrEqual(4 + awayMs / 4_000)
      expect(events.map(({ state }) => state)).toEqual(['failing'])
      store.thaw()
      await vi.advanceTimersByTimeAsync(5_000)
      expect(events.map(({ state }) => state)).toEqual(['failing', 'working'])
      const { decision: verdict } = await guard.admit(claimOf(rate(10, `after ${awayMs}`)), ['requests'])
      expect(verdict.counters[0]?.remaining).toBe(9)
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  it('is not asked for requests while it is probed', async () => {
    const store = new ScriptedLimitStore()
    const { guard } = guarded(store)
    await giveUp(store, guard)
    store.mode = 'hangs'
    await vi.advanceTimersByTimeAsync(260)
    const { asked } = store
    for (let count = 0; count < 100; count++) {
      expect(guard.admit(claimOf(rate()), ['requests'])).not.toBeInstanceOf(Promise)
    }
    expect(store.asked).toBe(asked)
    expect(store.admitted.at(-1)?.counters[0]?.key).toBe('probe')
  })
})

describe('while the store fails', () => {
  const down = async (given: Partial<GuardedStoreOptions> = {}) => {
    const store = new ScriptedLimitStore()
    const made = guarded(store, given)
    await giveUp(store, made.guard)
    return { ...made, store }
  }
  const admit = (guard: ReturnType<typeof guarded>['guard'], kinds: LimitKind[], ...counters: Counter[]) =>
    guard.admit(claimOf(...counters), kinds) as DecidedClaim

  it('a closed rule refuses with 503, and says to try again', async () => {
    const { guard } = await down()
    let thrown: unknown
    try {
      guard.admit(claimOf(rate(), sum()), ['requests', 'budget'])
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({
      reason: 'limiter_unavailable',
      status: 503,
      headers: { 'retry-after': '1', 'x-should-retry': 'true' },
    })
    expect(GatewayError.is(thrown) && thrown.toBody().error.message).not.toContain('refused')
    expect((thrown as Error).cause).toEqual(new Error('refused'))
  })

  it('a request that was waiting is refused by a closed rule too', async () => {
    const { guard } = guarded(new ScriptedLimitStore('hangs'))
    const deciding = Promise.resolve(guard.admit(claimOf(sum()), ['budget']))
    const refused = expect(deciding).rejects.toMatchObject({ reason: 'limiter_unavailable' })
    await vi.advanceTimersByTimeAsync(51)
    await refused
  })

  it('an open rule lets everything through', async () => {
    const onStoreFailure = { requests: 'open', tokens: 'open', concurrent: 'open', budget: 'open' } as const
    const { guard } = await down({ onStoreFailure })
    for (let count = 0; count < 20; count++) {
      const { decision: verdict, settle } = admit(guard, ['requests', 'budget'], rate(2), sum(1, 100))
      expect(verdict).toEqual({
        allowed: true,
        local: true,
        counters: [
          { over: false, remaining: 2, resetMs: 0, waitMs: 0 },
          { over: false, remaining: 1, resetMs: 0, waitMs: 0 },
        ],
      })
      expect(settle([1, 1])).toBeUndefined()
    }
  })

  it('a closed shadow refuses nobody', async () => {
    const { guard } = await down()
    const { decision: verdict } = admit(guard, ['budget'], { ...sum(1, 100), dryRun: true })
    expect(verdict).toMatchObject({ allowed: true, counters: [{ over: false }] })
  })

  it('a local rule lets in its share', async () => {
    const { guard } = await down()
    const allowed = Array.from({ length: 12 }, () => admit(guard, ['requests'], rate(40)).decision)
    expect(allowed.filter(verdict => verdict.allowed)).toHaveLength(10)
    expect(allowed[0]?.counters[0]?.remaining).toBe(9)
    expect(allowed[11]?.counters[0]).toMatchObject({ over: true, remaining: 0 })
  })

  it('a share is no less than one', async () => {
    const { guard } = await down()
    expect(admit(guard, ['requests'], rate(3)).decision.allowed).toBe(true)
    expect(admit(guard, ['requests'], rate(3)).decision.allowed).toBe(false)
  })

  it('what is more than a share, and less than the limit, is let in when all of the share is free', async () => {
    const { guard } = await down()
    const big: RateCounter = { ...rate(100), amount: 60, floor: 30 }
    expect(admit(guard, ['tokens'], big).decision).toMatchObject({
      allowed: true,
      counters: [{ remaining: 0 }],
    })
    const { decision: verdict } = admit(guard, ['tokens'], { ...big, amount: 1, floor: 0 })
    expect(verdict.allowed).toBe(false)
    const never = admit(guard, ['tokens'], { ...big, key: 'never', amount: 101 })
    expect(never.decision.counters[0]?.waitMs).toBe(Number.POSITIVE_INFINITY)
  })

  it('states stand at the places of their counters', async () => {
    const onStoreFailure = { requests: 'local', tokens: 'open', concurrent: 'local', budget: 'open' } as const
    const { guard, local } = await down({ onStoreFailure })
    const decided = admit(
      guard,
      ['budget', 'concurrent', 'tokens', 'requests'],
      sum(),
      lease(8),
      rate(),
      rate(400, 'r'),
    )
    expect(decided.decision.counters.map(({ remaining }) => remaining)).toEqual([1_000, 1, 10, 99])
    expect(local.held).toBe(1)
    await decided.settle([1, 0, 1, 1])
    expect(local.held).toBe(0)
  })

  it('what was decided here is settled here, also when the store works again', async () => {
    const { guard, local, store } = await down()
    const decided = admit(guard, ['concurrent'], lease())
    expect(local.held).toBe(1)
    store.mode = 'answers'
    await vi.advanceTimersByTimeAsync(5_000)
    decided.settle([0])
    expect(local.held).toBe(0)
    expect(store.settled).toEqual([])
  })

  it('F73: a flood of keys takes bounded room', async () => {
    const before = memoryLimitStore({ maxKeys: 10 })
    const { guard } = await down({ local: before })
    for (let count = 0; count < 1_000; count++) admit(guard, ['requests'], rate(4, `key ${count}`))
    // None of the first ones was pushed out: it is refused as it is used up, and the last as there is no place for it.
    const [first, last] = ['key 0', 'key 999'].map(key => admit(guard, ['requests'], rate(4, key)).decision)
    expect(first).toMatchObject({ allowed: false, counters: [{ over: true }] })
    expect(first).not.toHaveProperty('full')
    expect(last).toMatchObject({ allowed: false, full: true, counters: [{ over: false }] })
  })
})

describe('settlements', () => {
  const decide = async (guard: ReturnType<typeof guarded>['guard']) => {
    const claim = claimOf(lease(1_000_000), { ...rate(1_000_000), floor: 0 })
    return { claim, decided: await guard.admit(claim, ['concurrent', 'tokens']) }
  }

  it.each(['hangs', 'rejects', 'throws'] as const)(
    'are kept while the store %s, and taken later',
    async mode => {
      const store = new ScriptedLimitStore()
      const { guard } = guarded(store)
      const open: Open[] = []
      for (let count = 0; count < 200; count++) open.push(await decide(guard))
      expect(store.memory.held).toBe(200)
      store.mode = mode
      const settling = Promise.all(open.map(({ decided }) => decided.settle([0, 3])))
      await vi.advanceTimersByTimeAsync(60)
      await settling
      expect(store.settled).toEqual([])
      store.thaw()
      await vi.advanceTimersByTimeAsync(5_000)
      expect(store.memory.held).toBe(0)
      expect(new Set(store.settled.map(({ id }) => id)).size).toBe(200)
      expect(store.settled.every(({ charged }) => charged[1] === 3)).toBe(true)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('are not handed over again when the store has taken them late', async () => {
    const store = new ScriptedLimitStore()
    const { guard } = guarded(store)
    const { decided } = await decide(guard)
    store.mode = 'hangs'
    const settling = decided.settle([0, 0])
    await vi.advanceTimersByTimeAsync(51)
    await settling
    store.thaw()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(store.settled).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are handed over soon where nothing else fails', async () => {
    const store = new ScriptedLimitStore()
    const { guard, events } = guarded(store)
    const { decided } = await decide(guard)
    store.mode = 'rejects'
    await decided.settle([0, 0])
    store.mode = 'answers'
    await vi.advanceTimersByTimeAsync(250)
    expect(store.memory.held).toBe(0)
    expect(events).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that the store never takes are dropped after an hour, and told of', async () => {
    const store = new ScriptedLimitStore()
    let tries = 0
    const { guard, events } = guarded({
      admit: claim => store.admit(claim),
      settle: () => {
        tries++
        return Promise.reject(new Error('wrong type'))
      },
      renew() {},
    })
    const { decided } = await decide(guard)
    await decided.settle([0, 0])
    await vi.advanceTimersByTimeAsync(3_600_000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(tries).toBeGreaterThan(300)
    expect(tries).toBeLessThan(500)
    expect(vi.getTimerCount()).toBe(0)
    expect(events.map(({ error }) => String(error)).filter(text => text.includes('dropped'))).toHaveLength(1)
  })

  it('that wait are no more than 10,000: the oldest are dropped, and told of once', async () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard, events } = guarded(store)
    const open: Open[] = []
    for (let count = 0; count < 10_010; count++) open.push(await decide(guard))
    await giveUp(store, guard)
    for (const { decided } of open) void decided.settle([0, 0])
    expect(events).toHaveLength(2)
    expect(String(events[1]?.error)).toContain('More than 10000')
    store.mode = 'answers'
    await vi.advanceTimersByTimeAsync(5_000)
    expect(store.settled).toHaveLength(10_000)
    expect(store.settled.some(({ id }) => id === open[0]?.claim.id)).toBe(false)
    expect(store.settled.some(({ id }) => id === open[10_009]?.claim.id)).toBe(true)
  })
})

describe('renewal', () => {
  it.each(['at_once', 'answers'] as const)('holds what is held, of a store that answers %s', async mode => {
    const store = new ScriptedLimitStore(mode)
    const { guard } = guarded(store)
    const open: DecidedClaim[] = []
    for (let count = 0; count < 3; count++) open.push(await guard.admit(claimOf(lease()), ['concurrent']))
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(store.renewed).toHaveLength(10)
    expect(store.renewed[0]).toMatchObject({ ttlMs: 30_000, ids: { length: 3 } })
    expect(store.memory.held).toBe(3)
    for (const { settle } of open) await settle([0])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('begins again with the next one', async () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard } = guarded(store)
    for (let count = 0; count < 3; count++) {
      const decided = await guard.admit(claimOf(sum()), ['budget'])
      await vi.advanceTimersByTimeAsync(10_000)
      expect(store.renewed).toHaveLength(count + 1)
      await decided.settle([0])
      await vi.advanceTimersByTimeAsync(100_000)
    }
  })

  it('is not needed for what holds nothing', async () => {
    const { guard } = guarded(new ScriptedLimitStore())
    await guard.admit(claimOf(rate()), ['requests'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is of many claims in several operations', async () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard } = guarded(store)
    for (let count = 0; count < 250; count++) await guard.admit(claimOf(lease(1_000)), ['concurrent'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(store.renewed.map(({ ids }) => ids.length)).toEqual([100, 100, 50])
  })

  it('asks for one operation at a time', async () => {
    const store = new ScriptedLimitStore('at_once')
    const { guard } = guarded(store)
    for (let count = 0; count < 250; count++) await guard.admit(claimOf(lease(1_000)), ['concurrent'])
    store.mode = 'hangs'
    const { asked } = store
    await vi.advanceTimersByTimeAsync(10_000)
    expect(store.asked).toBe(asked + 1)
    store.thaw()
    await vi.advanceTimersByTimeAsync(0)
    expect(store.renewed).toHaveLength(3)
  })

  it('that fails is tried again, and at once when the store works again', async () => {
    const store = new ScriptedLimitStore()
    const { guard } = guarded(store)
    const decided = await guard.admit(claimOf(lease()), ['concurrent'])
    await giveUp(store, guard)
    await vi.advanceTimersByTimeAsync(25_000)
    expect(store.renewed).toEqual([])
    store.mode = 'answers'
    await vi.advanceTimersByTimeAsync(4_100)
    expect(store.renewed).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(store.memory.held).toBe(1)
    await decided.settle([0])
  })

  it('holds what is counted here too', async () => {
    const store = new ScriptedLimitStore()
    const { guard, local } = guarded(store)
    await giveUp(store, guard)
    const decided = await guard.admit(claimOf(lease()), ['concurrent'])
    await vi.advanceTimersByTimeAsync(100_000)
    expect(local.held).toBe(1)
    await decided.settle([0])
    expect(local.held).toBe(0)
  })
})

it('an observer that throws is its own problem', async () => {
  const store = new ScriptedLimitStore()
  const { guard } = guarded(store, {
    observe: () => {
      throw new Error('observer')
    },
  })
  await giveUp(store, guard)
  store.mode = 'answers'
  await vi.advanceTimersByTimeAsync(5_000)
  const { decision: verdict } = await guard.admit(claimOf(rate()), ['requests'])
  expect(verdict.counters[0]?.remaining).toBe(9)
})

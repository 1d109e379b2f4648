import { strict as assert } from 'node:assert'
import {
  claimCounters,
  expectRefusal,
  rate,
  remainingOf,
  stateOf,
  take,
  takeWhenFree,
} from './limit-claims.ts'
import { byTheClock, inItsOwnTime, type LimitStoreCase } from './limit-store-case.ts'

/** Rates: no burst at the edges of windows. */
export const rateCases: readonly LimitStoreCase[] = [
  inItsOwnTime('rate: gives exactly its limit at once, whatever it is', async store => {
    for (const [limit, windowMs] of [
      [1, 60_000],
      [3, 3_600_000],
      [7, 60_000],
      [11, 60_000],
      [97, 86_400_000],
    ] as const) {
      const counter = rate({ limit, windowMs })
      for (let taken = 1; taken <= limit; taken++) {
        const state = stateOf((await take(store, [counter])).decision)
        assert.equal(state.over, false)
        assert.equal(state.waitMs, 0)
        assert.equal(state.remaining, limit - taken, `${limit} in ${windowMs} ms: left after ${taken}`)
      }
      const [state] = await expectRefusal(store, [counter])
      assert.equal(state?.over, true)
      assert.equal(state?.remaining, 0)
    }
  }),

  inItsOwnTime('rate: says how long until there is room, and until all of it is free', async store => {
    const counter = rate({ limit: 6, windowMs: 3_600_000 })
    const { resetMs } = stateOf((await take(store, [{ ...counter, amount: 6 }])).decision)
    assert.ok(resetMs > 3_590_000 && resetMs <= 3_600_000, `all free in an hour: ${resetMs}`)
    const [one] = await expectRefusal(store, [counter])
    assert.ok(
      one !== undefined && one.waitMs > 590_000 && one.waitMs <= 600_000,
      `one in ten minutes: ${one?.waitMs}`,
    )
    const [two] = await expectRefusal(store, [{ ...counter, amount: 2 }])
    assert.ok(
      two !== undefined && two.waitMs > 1_190_000 && two.waitMs <= 1_200_000,
      `two in twenty: ${two?.waitMs}`,
    )
  }),

  inItsOwnTime('rate: has room again by and by', async store => {
    const counter = rate({ limit: 10, windowMs: 1_000 })
    const start = performance.now()
    await take(store, [{ ...counter, amount: 10 }])
    for (const passed of [100, 200]) {
      await takeWhenFree(store, [counter])
      const elapsed = performance.now() - start
      assert.ok(elapsed >= passed - 1, `one in 100 ms, not in ${elapsed / (passed / 100)}`)
    }
  }),

  inItsOwnTime('rate: never has room for more than its limit, and a refusal takes nothing', async store => {
    const counter = rate({ limit: 10 })
    const [state] = await expectRefusal(store, [{ ...counter, amount: 11 }])
    assert.equal(state?.waitMs, Number.POSITIVE_INFINITY)
    assert.equal(state?.remaining, 10)
    await take(store, [{ ...counter, amount: 10 }])
  }),

  inItsOwnTime('rate: counts large amounts exactly', async store => {
    for (const windowMs of [1_000, 60_000, 86_400_000]) {
      const counter = rate({ limit: 1_000_000_000, windowMs, floor: 0 })
      assert.equal(await remainingOf(store, counter), 1_000_000_000)
      const all = await take(store, [{ ...counter, amount: 1_000_000_000 }])
      assert.equal(stateOf(all.decision).remaining, 0)
      await all.settle(0)
      assert.equal(await remainingOf(store, counter), 1_000_000_000)
    }
    const [never] = await expectRefusal(store, [rate({ amount: 9_000_000_000_000_000 })])
    assert.equal(never?.waitMs, Number.POSITIVE_INFINITY)
  }),

  byTheClock(
    'rate: has room on the microsecond that the cell rate algorithm says, and not before',
    async (store, clock) => {
      const counter = rate({ limit: 10, windowMs: 1_000 })
      for (let taken = 0; taken < 10; taken++) await take(store, [counter])
      clock.at += 99.999
      const [state] = await expectRefusal(store, [counter])
      assert.ok(
        Math.abs((state?.waitMs ?? 0) - 0.001) < 0.000_5 || state?.waitMs === 1,
        `wait: ${state?.waitMs}`,
      )
      clock.at += 0.001
      await take(store, [counter])
      await expectRefusal(store, [counter])
      clock.at += 250
      await take(store, [{ ...counter, amount: 2 }])
      await expectRefusal(store, [counter])
      clock.at += 50
      await take(store, [counter])
      await expectRefusal(store, [counter])
    },
  ),

  byTheClock('rate: gives no more than what flows back around the end of a window', async (store, clock) => {
    const counter = rate({ limit: 60, windowMs: 60_000 })
    clock.at += 59_900
    await take(store, [{ ...counter, amount: 60 }])
    let taken = 60
    for (let step = 0; step < 200; step++) {
      clock.at += 1
      if ((await claimCounters(store, [counter])).decision.allowed) taken++
    }
    assert.equal(taken, 60)
  }),

  byTheClock('rate: rounds what one costs up, never down', async (store, clock) => {
    const counter = rate({ limit: 7, windowMs: 60_000 })
    let taken = 0
    for (const end = clock.at + 600_000; clock.at < end; clock.at += 1_000) {
      if ((await claimCounters(store, [counter])).decision.allowed) taken++
    }
    assert.ok(taken <= 7 + 70 && taken >= 75, `7 at once and 70 in ten minutes: ${taken}`)
  }),

  byTheClock('rate: forgets nothing and owes nothing after a long rest', async (store, clock) => {
    const counter = rate({ limit: 5, windowMs: 1_000 })
    await take(store, [{ ...counter, amount: 5 }])
    clock.at += 86_400_000
    await take(store, [{ ...counter, amount: 5 }])
    await expectRefusal(store, [counter])
  }),
]

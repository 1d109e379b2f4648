import { strict as assert } from 'node:assert'
import { expectRefusal, remainingOf, stateOf, sum, take } from './limit-claims.ts'
import { byTheClock, inItsOwnTime, type LimitStoreCase } from './limit-store-case.ts'

const hour = 3_600_000
const day = 24 * hour

/** Sums: money per calendar window. */
export const sumCases: readonly LimitStoreCase[] = [
  inItsOwnTime('sum: gives exactly its limit', async store => {
    for (const window of ['hour', 'day', 'week', 'month', 'ever'] as const) {
      const counter = sum({ limit: 10, window })
      assert.equal(stateOf((await take(store, [{ ...counter, amount: 7 }])).decision).remaining, 3)
      const [state] = await expectRefusal(store, [{ ...counter, amount: 4 }])
      assert.equal(state?.over, true)
      assert.equal(state?.remaining, 3)
      assert.equal(stateOf((await take(store, [{ ...counter, amount: 3 }])).decision).remaining, 0)
      await expectRefusal(store, [counter])
    }
  }),

  inItsOwnTime('sum: that is not renewed never has room again', async store => {
    const counter = sum({ limit: 10 })
    const { decision } = await take(store, [{ ...counter, amount: 10 }])
    assert.equal(stateOf(decision).resetMs, Number.POSITIVE_INFINITY)
    const [state] = await expectRefusal(store, [counter])
    assert.equal(state?.waitMs, Number.POSITIVE_INFINITY)
    const [more] = await expectRefusal(store, [sum({ amount: 11, window: 'hour' })])
    assert.equal(more?.waitMs, Number.POSITIVE_INFINITY, 'more than the limit')
  }),

  inItsOwnTime('sum: counts billionths of a dollar exactly up to 9 million dollars', async store => {
    const counter = sum({ limit: 9_000_000_000_000_000 })
    const large = { ...counter, amount: 4_500_000_000_000_001 }
    const first = await take(store, [large])
    assert.equal(stateOf(first.decision).remaining, 4_499_999_999_999_999)
    await expectRefusal(store, [large])
    await take(store, [{ ...counter, amount: 4_499_999_999_999_999 }])
    await expectRefusal(store, [counter])
    await first.settle(4_500_000_000_000_000)
    assert.equal(await remainingOf(store, counter), 1)
    await take(store, [counter])
    await expectRefusal(store, [counter])
  }),

  ...(
    [
      ['hour', '2026-11-18T12:59:59.999Z', hour],
      ['day', '2026-11-18T23:59:59.999Z', day],
      ['week', '2026-11-22T23:59:59.999Z', 7 * day],
      ['month', '2026-11-30T23:59:59.999Z', 31 * day],
      ['month', '2028-02-29T23:59:59.999Z', 31 * day],
      ['month', '2027-02-28T23:59:59.999Z', 31 * day],
      ['month', '2026-12-31T23:59:59.999Z', 31 * day],
    ] as const
  ).map(([window, from, length]) =>
    byTheClock(
      `sum: a ${window} ends after ${from}`,
      async (store, clock) => {
        const counter = sum({ limit: 10, window, floor: 1 })
        const { decision } = await take(store, [{ ...counter, amount: 10 }])
        assert.ok(
          Math.abs(stateOf(decision).resetMs - 1) < 1e-3,
          `resets in 1 ms: ${stateOf(decision).resetMs}`,
        )
        const [state] = await expectRefusal(store, [counter])
        assert.ok(Math.abs((state?.waitMs ?? 0) - 1) < 1e-3, `room in 1 ms: ${state?.waitMs}`)
        clock.at += 1
        const next = stateOf((await take(store, [counter])).decision)
        assert.equal(next.remaining, 9)
        assert.equal(next.resetMs, length)
        clock.at += length - 1
        assert.equal(await remainingOf(store, counter), 9)
        clock.at += 1
        assert.equal(await remainingOf(store, counter), 10)
      },
      from,
    ),
  ),

  byTheClock(
    'sum: carries a debt into the next window, and no further than it reaches',
    async (store, clock) => {
      const counter = sum({ limit: 10, window: 'day', amount: 5 })
      const first = await take(store, [counter])
      await first.settle(14)
      const [state] = await expectRefusal(store, [{ ...counter, amount: 1 }])
      assert.equal(state?.remaining, 0)
      assert.equal(state?.resetMs, 36 * hour, 'all free when the debt is paid')
      assert.equal(state?.waitMs, 12 * hour)
      clock.at += 12 * hour
      assert.equal(await remainingOf(store, counter), 6)
      clock.at += day
      assert.equal(await remainingOf(store, counter), 10)
    },
  ),

  byTheClock('sum: pays a debt in windows where nobody asks', async (store, clock) => {
    const counter = sum({ limit: 10, window: 'day', amount: 5 })
    const first = await take(store, [counter])
    await first.settle(25)
    clock.at += 12 * hour + day
    assert.equal(await remainingOf(store, counter), 5)
  }),

  byTheClock(
    'sum: gives nothing back in a later window, and charges there what came on top',
    async (store, clock) => {
      const counter = sum({ limit: 10, window: 'day', amount: 5 })
      const less = await take(store, [counter], 2 * day)
      const more = await take(store, [counter], 2 * day)
      clock.at += 12 * hour
      await take(store, [{ ...counter, amount: 4 }], 2 * day)
      await less.settle(0)
      assert.equal(await remainingOf(store, counter), 6)
      await more.settle(7)
      assert.equal(await remainingOf(store, counter), 4)
    },
  ),

  byTheClock(
    'sum: carries no debt of what fell back to its floor before the window ended',
    async (store, clock) => {
      for (const [heldMs, carried] of [
        [hour, 2],
        [day, 7],
      ] as const) {
        const counter = sum({ limit: 10, window: 'day', amount: 5 })
        const from = clock.at
        await take(store, [counter], heldMs)
        const more = await take(store, [counter], hour)
        await more.settle(12)
        clock.at += 25 * hour
        assert.equal(await remainingOf(store, counter), 10 - carried)
        // The same time of another day.
        clock.at = from + 48 * hour
      }
    },
  ),
]

import { strict as assert } from 'node:assert'
import type { RateCounter, SumCounter } from '@sluice/core/store'
import {
  claim,
  claimCounters,
  expectRefusal,
  freshId,
  lease,
  rate,
  remainingOf,
  sum,
  take,
  takeWhenFree,
} from './limit-claims.ts'
import { byTheClock, inItsOwnTime, type LimitStoreCase } from './limit-store-case.ts'

const hour = 3_600_000

/** Reservations: corrected once, however late, and released if nobody settles. */
export const settlementCases: readonly LimitStoreCase[] = [
  ...([() => rate({ floor: 0 }), () => sum()] as const).flatMap(make => settlementsOf(make)),

  inItsOwnTime('settle: of what a claim took for good changes nothing', async store => {
    const forGood = rate({ limit: 10, amount: 4 })
    const held = sum({ amount: 4 })
    const asked = await take(store, [forGood, held])
    await asked.settle(0, 0)
    assert.equal(await remainingOf(store, forGood), 6)
    assert.equal(await remainingOf(store, held), 10)
  }),

  inItsOwnTime('settle: of a refused or unknown claim changes nothing', async store => {
    const counter = sum({ limit: 10, amount: 6 })
    await take(store, [counter])
    const over = await claimCounters(store, [counter])
    assert.equal(over.decision.allowed, false)
    await over.settle(0)
    await store.settle({ id: freshId(), counters: [counter], charged: [0] })
    assert.equal(await remainingOf(store, counter), 4)
  }),

  inItsOwnTime('at rest nothing is held', async store => {
    const counters = [
      rate({ floor: 3, amount: 5, limit: 50 }),
      sum({ floor: 2, amount: 5, limit: 50 }),
      lease({ limit: 10 }),
    ]
    const asked = await Promise.all(Array.from({ length: 30 }, () => claimCounters(store, counters)))
    assert.equal(asked.filter(({ decision }) => decision.allowed).length, 10)
    await Promise.all(asked.map(({ settle }) => settle()))
    // All of each limit is free again.
    const all = await Promise.all(Array.from({ length: 10 }, () => take(store, counters)))
    await Promise.all(all.map(({ settle }) => settle()))
  }),

  inItsOwnTime(
    'settle: a claim whose time is over leaves its floor, and is corrected afterwards, once',
    async store => {
      const held = sum({ limit: 10, amount: 8, floor: 3 })
      const late = await take(store, [held], 60)
      const next = await takeWhenFree(store, [{ ...held, amount: 7, floor: 0 }])
      await next.settle(0)
      await late.settle(5)
      assert.equal(await remainingOf(store, held), 5)
      await late.settle(0)
      assert.equal(await remainingOf(store, held), 5)
    },
  ),

  byTheClock(
    'settle: what is never settled leaves its floor, at once and to the millisecond',
    async (store, clock) => {
      for (const counter of [rate({ amount: 8, floor: 3 }), sum({ amount: 8, floor: 3 })]) {
        await take(store, [counter], 1_000)
        clock.at += 999
        await expectRefusal(store, [{ ...counter, amount: 3, floor: 0 }])
        clock.at += 1
        await take(store, [{ ...counter, amount: 7, floor: 0 }])
        await expectRefusal(store, [{ ...counter, amount: 1, floor: 0 }])
      }
    },
  ),

  byTheClock(
    'settle: what is held of a rate does not flow back before it is settled',
    async (store, clock) => {
      const counter = rate({ limit: 10, windowMs: 10_000, amount: 10, floor: 0 })
      const held = await take(store, [counter], 600_000)
      clock.at += 60_000
      await expectRefusal(store, [{ ...counter, amount: 1 }])
      await held.settle(4)
      // Not twice: the released reservation is not free a second time.
      assert.equal(await remainingOf(store, counter), 6)
      await take(store, [{ ...counter, amount: 6 }])
      await expectRefusal(store, [{ ...counter, amount: 1 }])
    },
  ),

  byTheClock('settle: that is renewed holds on', async (store, clock) => {
    const counters = [rate({ amount: 8, floor: 0 }), sum({ amount: 8 })]
    const first = await take(store, counters, 1_000)
    clock.at += 999
    await store.renew([first.claim], 1_000)
    clock.at += 999
    for (const counter of counters) await expectRefusal(store, [{ ...counter, amount: 3 }])
    await first.settle(1, 1)
    for (const counter of counters) await take(store, [{ ...counter, amount: 9 }])
  }),

  byTheClock('settle: a late settlement is heard for an hour', async (store, clock) => {
    const counter = sum({ limit: 100, amount: 50, floor: 10 })
    const soon = await take(store, [counter], 1_000)
    const late = await take(store, [counter], 1_000)
    clock.at += 1_000 + hour - 1
    await soon.settle(30)
    assert.equal(await remainingOf(store, counter), 60)
    clock.at += 2
    await late.settle(30)
    assert.equal(await remainingOf(store, counter), 60)
  }),

  byTheClock(
    'settle: what came late counts from now, also where the rate had rested',
    async (store, clock) => {
      const counter = rate({ limit: 10, windowMs: 10_000, amount: 1, floor: 0 })
      const asked = await take(store, [counter], 60_000)
      clock.at += 30_000
      await asked.settle(6)
      assert.equal(await remainingOf(store, counter), 4)
    },
  ),
]

/** Cases for both kinds of counts that are settled. */
function settlementsOf(make: () => RateCounter | SumCounter): readonly LimitStoreCase[] {
  const { kind } = make()
  return [
    inItsOwnTime(`settle: a ${kind} is given back what was not charged`, async store => {
      const counter = make()
      const first = await take(store, [{ ...counter, amount: 10 }])
      await expectRefusal(store, [counter])
      await first.settle(4)
      assert.equal(await remainingOf(store, counter), 6)
      const second = await take(store, [{ ...counter, amount: 6 }])
      await second.settle(0)
      assert.equal(await remainingOf(store, counter), 6)
    }),

    inItsOwnTime(
      `settle: a ${kind} that came to more leaves a debt, which the next one meets`,
      async store => {
        const counter = make()
        const first = await take(store, [{ ...counter, amount: 4 }])
        await first.settle(15)
        assert.equal(await remainingOf(store, counter), 0)
        const [state] = await expectRefusal(store, [counter])
        assert.equal(state?.remaining, 0)
        assert.ok(state !== undefined && state.waitMs > 0)
      },
    ),

    inItsOwnTime(`settle: a ${kind} is settled once, however often it is told`, async store => {
      const counter = make()
      await take(store, [{ ...counter, amount: 3 }])
      const asked = await take(store, [{ ...counter, amount: 5 }])
      await Promise.all(Array.from({ length: 10 }, () => asked.settle(1)))
      await asked.settle(0)
      assert.equal(await remainingOf(store, counter), 6)
    }),

    inItsOwnTime(`settle: a ${kind} keeps apart what claims hold of it`, async store => {
      const counter = { ...make(), amount: 2 }
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => take(store, [counter])))
      await second?.settle(1)
      await store.renew([claim([counter]), ...(first === undefined ? [] : [first.claim])], 60_000)
      await third?.settle(0)
      assert.equal(await remainingOf(store, counter), 7)
      await first?.settle(2)
      assert.equal(await remainingOf(store, counter), 7)
    }),
  ]
}

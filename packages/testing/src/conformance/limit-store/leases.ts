import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimitStore } from '@sluice/core'
import { expectRefusal, freshId, lease, stateOf, take, takeWhenFree } from './limit-claims.ts'
import { byTheClock, inItsOwnTime, type LimitStoreCase } from './limit-store-case.ts'

/** Leases: limited concurrency, with an expiry. */
export const leaseCases: readonly LimitStoreCase[] = [
  inItsOwnTime(
    'lease: gives exactly as many as its limit, and each again when it is settled',
    async store => {
      const counter = lease({ limit: 3 })
      const first = await take(store, [counter])
      assert.deepEqual(stateOf(first.decision), { over: false, remaining: 2, resetMs: 0, waitMs: 0 })
      await take(store, [counter])
      await take(store, [counter])
      const [state] = await expectRefusal(store, [counter])
      assert.equal(state?.remaining, 0)
      assert.ok(
        state !== undefined && state.waitMs > 0 && state.waitMs <= 60_000,
        `the first one's: ${state?.waitMs}`,
      )
      await first.settle()
      await take(store, [counter])
      await expectRefusal(store, [counter])
    },
  ),

  inItsOwnTime('lease: is given back when its time is over, and not before', async store => {
    const counter = lease()
    const start = performance.now()
    await take(store, [counter], 150)
    await takeWhenFree(store, [counter])
    const elapsed = performance.now() - start
    assert.ok(elapsed >= 149, `after 150 ms, not ${elapsed}`)
  }),

  inItsOwnTime('lease: that is renewed is kept', async store => {
    for (let attempt = 1; !(await keepsRenewed(store)); attempt++) {
      assert.ok(attempt < 5, 'to renew a claim within 400 ms of taking it')
    }
  }),

  inItsOwnTime('lease: of an unknown or settled claim is not taken by renewing it', async store => {
    const counter = lease({ limit: 2 })
    const settled = await take(store, [counter])
    await settled.settle()
    const kept = await take(store, [counter])
    await store.renew([settled.claim, { id: freshId(), counters: [counter] }, kept.claim], 60_000)
    await take(store, [counter])
    await expectRefusal(store, [counter])
    await store.renew([], 60_000)
  }),

  inItsOwnTime('lease: many are renewed at once', async store => {
    const counter = lease({ limit: 250 })
    const taken = await Promise.all(Array.from({ length: 250 }, () => take(store, [counter])))
    await store.renew(
      taken.map(({ claim }) => claim),
      120_000,
    )
    const [state] = await expectRefusal(store, [counter])
    assert.ok(state !== undefined && state.waitMs > 60_000, `none is over within a minute: ${state?.waitMs}`)
  }),

  byTheClock(
    'lease: is over on the millisecond, and renewed from the moment it is renewed',
    async (store, clock) => {
      const counter = lease()
      const first = await take(store, [counter], 1_000)
      clock.at += 999
      const [state] = await expectRefusal(store, [counter])
      assert.equal(state?.waitMs, 1)
      await store.renew([first.claim], 1_000)
      clock.at += 999
      await expectRefusal(store, [counter])
      clock.at += 1
      await take(store, [counter], 1_000)
      // Another claim has the capacity now: a late renewal has no effect.
      await store.renew([first.claim], 10_000)
      clock.at += 1_000
      await take(store, [counter])
    },
  ),
]

/** Returns false if this process was too slow to renew in time. */
async function keepsRenewed(store: LimitStore): Promise<boolean> {
  const counter = lease()
  const start = performance.now()
  const { claim } = await take(store, [counter], 400)
  await store.renew([claim], 60_000)
  if (performance.now() - start > 390) return false
  await sleep(450 - (performance.now() - start))
  await expectRefusal(store, [counter])
  return true
}

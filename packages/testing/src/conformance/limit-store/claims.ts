import { strict as assert } from 'node:assert'
import type { Counter } from '@sluice/core/store'
import {
  claimCounters,
  expectRefusal,
  freshId,
  lease,
  rate,
  remainingOf,
  stateOf,
  sum,
  take,
} from './limit-claims.ts'
import { inItsOwnTime, type LimitStoreCase } from './limit-store-case.ts'

/** Claims: all of their counts or none, also with concurrent claims. */
export const claimCases: readonly LimitStoreCase[] = [
  inItsOwnTime('claim: takes all of its counts, or nothing of any', async store => {
    const makers: readonly ((full: boolean) => Counter)[] = [
      full => rate({ amount: full ? 11 : 10 }),
      full => rate({ amount: full ? 11 : 10, floor: 5 }),
      full => sum({ amount: full ? 11 : 10 }),
      () => lease(),
    ]
    for (let without = 0; without < makers.length; without++) {
      const counters = makers.map(make => make(false))
      const missing = counters[without]
      assert.ok(missing !== undefined)
      // A lease has no amount: another claim has it.
      const taken = missing.kind === 'lease' ? await take(store, [missing]) : undefined
      const asked = counters.with(without, missing.kind === 'lease' ? missing : { ...missing, amount: 11 })
      const states = await expectRefusal(store, asked)
      states.forEach((state, index) => {
        assert.equal(state.over, index === without, `over: ${index}`)
        if (index !== without) assert.equal(state.waitMs, 0)
        assert.equal(state.remaining, asked[index]?.kind === 'lease' ? (index === without ? 0 : 1) : 10)
      })
      await taken?.settle()
      await take(store, counters)
    }
  }),

  inItsOwnTime('claim: tells how each count stands, in their order', async store => {
    const { decision } = await take(store, [
      sum({ limit: 3 }),
      lease({ limit: 8 }),
      rate({ limit: 5 }),
      sum({ limit: 2 }),
    ])
    assert.deepEqual(
      decision.counters.map(({ remaining }) => remaining),
      [2, 7, 4, 1],
    )
  }),

  inItsOwnTime('claim: of nothing is allowed', async store => {
    assert.deepEqual((await take(store, [])).decision, { allowed: true, counters: [] })
  }),

  inItsOwnTime('claim: 50 at once with room for 10 are 10', async store => {
    const kinds: readonly Counter[][] = [
      [rate({ limit: 10 })],
      [rate({ limit: 10, floor: 0 })],
      [sum({ limit: 10, window: 'day' })],
      [lease({ limit: 10 })],
      [rate({ limit: 30 }), sum({ limit: 20 }), lease({ limit: 10 })],
    ]
    for (const counters of kinds) {
      const asked = await Promise.all(Array.from({ length: 50 }, () => claimCounters(store, counters)))
      assert.equal(asked.filter(({ decision }) => decision.allowed).length, 10)
    }
  }),

  inItsOwnTime(
    'claim: those who ask for the same counts in another order neither wait nor share',
    async store => {
      const [one, other] = [sum({ limit: 10 }), lease({ limit: 10 })]
      const asked = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          claimCounters(store, index % 2 === 0 ? [one, other] : [other, one]),
        ),
      )
      assert.equal(asked.filter(({ decision }) => decision.allowed).length, 10)
      await Promise.all(asked.map(({ settle }) => settle()))
      assert.equal(await remainingOf(store, one), 10)
    },
  ),

  inItsOwnTime('dryRun: never refuses, says when a limit would have, and then takes nothing', async store => {
    const dryRuns = [
      rate({ dryRun: true, amount: 6 }),
      rate({ dryRun: true, amount: 6, floor: 0 }),
      sum({ dryRun: true, amount: 6 }),
      lease({ dryRun: true }),
    ]
    const first = await take(store, dryRuns)
    assert.deepEqual(
      first.decision.counters.map(({ over }) => over),
      [false, false, false, false],
    )
    const second = await take(store, dryRuns)
    for (const { over, remaining, waitMs } of second.decision.counters) {
      assert.equal(over, true)
      assert.ok(waitMs > 0)
      assert.ok(remaining === 4 || remaining === 0)
    }
    // It releases only what it reserved.
    await second.settle(0, 0, 0)
    const third = await take(store, dryRuns)
    assert.deepEqual(
      third.decision.counters.map(({ over }) => over),
      [true, true, true, true],
    )
    await first.settle(0, 0, 0)
    const fourth = await take(store, dryRuns)
    assert.deepEqual(
      fourth.decision.counters.map(({ over }) => over),
      [true, false, false, false],
    )
  }),

  inItsOwnTime('dryRun: is not taken where another count refuses', async store => {
    const dryRun = sum({ dryRun: true })
    await expectRefusal(store, [dryRun, sum({ amount: 11 })])
    assert.equal(await remainingOf(store, dryRun), 10)
  }),

  inItsOwnTime('key: any text is a count of its own', async store => {
    const tail = freshId()
    const keys = [
      '',
      '{',
      '}',
      '{}',
      '{a}',
      '}{',
      ':',
      'a:b',
      ' ',
      '\n',
      '\r\n',
      '\0',
      '%',
      '%25',
      '%7b',
      '*',
      '?',
      '[a]',
      '"',
      "'",
      '\\',
      '\u00e9',
      'e\u0301',
      '\ud800',
      '\udfff',
      '\ud83d\ude00',
      '__proto__',
      'constructor',
      'x'.repeat(10_000),
    ]
    const counters = keys.map(key => lease({ key: `${key}${tail}` }))
    await take(store, counters)
    for (const counter of counters) await expectRefusal(store, [counter])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { decision } = await take(store, [rate({ key: name, limit: 1_000_000_000, windowMs: 1_000 })])
      assert.ok(stateOf(decision).remaining >= 0)
    }
  }),
]

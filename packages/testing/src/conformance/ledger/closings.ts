import assert from 'node:assert/strict'
import type { LedgerEntry, LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { batch, charge, closing, entry } from './records.ts'
import { expectTotals, sumsOf } from './totals.ts'

/** How a record is opened and closed, once. */
export const ledgerClosings: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'has nothing at first',
    async run(make) {
      const rows = await make()
      await expectTotals(rows, {})
      assert.deepEqual(await rows.usage({ by: ['key', 'day', 'tag:team'] }), [])
    },
  },
  {
    name: 'takes a batch of nothing',
    async run(make) {
      const rows = await make()
      await rows.write(batch({}))
      await expectTotals(rows, {})
    },
  },
  {
    name: 'keeps an entry as open, and sums nothing of it',
    async run(make) {
      const rows = await make()
      await rows.write(batch({ entries: [entry()] }))
      await expectTotals(rows, { requests: 1, open: 1 })
    },
  },
  {
    name: 'closes what was opened, with what was used',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened] }))
      await rows.write(batch({ closings: [closing(opened)] }))
      await expectTotals(rows, { requests: 1, ...sumsOf(10) })
    },
  },
  {
    name: 'takes an entry and its closing in one batch',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened], closings: [closing(opened)] }))
      await expectTotals(rows, { requests: 1, ...sumsOf(10) })
    },
  },
  {
    name: 'makes the whole record of a closing that comes before its entry, and leaves it when that comes',
    async run(make) {
      const rows = await make()
      const opened = entry({ principal: 'bob' })
      await rows.write(batch({ closings: [closing(opened)] }))
      await rows.write(batch({ entries: [opened] }))
      await expectTotals(rows, { requests: 1, ...sumsOf(10) })
      const [row] = await rows.usage({ by: ['key', 'model', 'provider', 'day', 'tag:team'] })
      assert.deepEqual(row?.by, {
        key: 'bob',
        model: 'small',
        provider: 'openai',
        day: '2026-11-21',
        'tag:team': 'search',
      })
    },
  },
  {
    name: 'takes the same batch again and again',
    async run(make) {
      const rows = await make()
      const [one, two] = [entry(), entry()]
      const whole = batch({
        entries: [one, two],
        closings: [closing(one)],
        progress: [{ id: two.id, charge: charge(3) }],
      })
      for (let times = 0; times < 3; times++) await rows.write(whole)
      await expectTotals(rows, { requests: 2, open: 1, ...sumsOf(10) })
    },
  },
  {
    name: 'leaves an entry that is there as it is',
    async run(make) {
      const rows = await make()
      const first = entry({ principal: 'ann' })
      const other: LedgerEntry = { ...first, principal: 'eve', tags: {}, model: 'large' }
      await rows.write(batch({ entries: [first, other] }))
      await rows.write(batch({ entries: [other], closings: [closing(other)] }))
      const found = await rows.usage({ by: ['key', 'model', 'tag:team'] })
      assert.deepEqual(
        found.map(({ by, requests }) => [by, requests]),
        [[{ key: 'ann', model: 'small', 'tag:team': 'search' }, 1]],
      )
    },
  },
  {
    name: 'leaves the closing of what is closed, also within one batch',
    async run(make) {
      const rows = await make()
      const [one, two] = [entry(), entry()]
      await rows.write(batch({ closings: [closing(one), closing(one, { charge: charge(1_000) })] }))
      await rows.write(batch({ entries: [two], closings: [closing(two)] }))
      await rows.write(
        batch({ closings: [closing(two, { charge: undefined, estimated: true, provider: 'other' })] }),
      )
      await expectTotals(rows, { requests: 2, ...sumsOf(20) })
      assert.deepEqual((await rows.usage({ by: ['provider'] }))[0]?.by, { provider: 'openai' })
    },
  },
  {
    name: 'charges nothing where nobody took the request, and does not call that unpriced',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened] }))
      await rows.write(
        batch({
          closings: [
            closing(opened, {
              charge: undefined,
              outcome: 'refused',
              status: 502,
              provider: undefined,
              upstreamModel: undefined,
              responseModel: undefined,
              attempts: 0,
              firstByteMs: undefined,
            }),
          ],
        }),
      )
      await expectTotals(rows, { requests: 1 })
    },
  },
  {
    name: 'counts what has no price, and what is estimated',
    async run(make) {
      const rows = await make()
      const unpriced = closing(entry(), { charge: charge(10, null) })
      const free = closing(entry(), { charge: charge(10, 0) })
      const estimated = closing(entry(), { estimated: true, outcome: 'client_disconnected', status: 499 })
      await rows.write(batch({ closings: [unpriced, free, estimated] }))
      await expectTotals(rows, { requests: 3, ...sumsOf(30), cost: 0.01, unpriced: 1, estimated: 1 })
    },
  },
  {
    name: 'writes nothing of a batch of which a part cannot be written',
    async run(make) {
      const rows = await make()
      const broken = { ...entry(), id: undefined } as unknown as LedgerEntry
      await assert.rejects(rows.write(batch({ entries: [entry(), broken], closings: [closing(entry())] })))
      await expectTotals(rows, {})
    },
  },
]

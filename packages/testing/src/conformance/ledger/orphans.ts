import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { batch, charge, closing, entry } from './records.ts'
import { expectTotals, sumsOf } from './totals.ts'

const hourMs = 3_600_000

/** Closing records that a crash left open. */
export const ledgerOrphans: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'closes an orphan with its estimate where nothing else is known',
    async run(make) {
      const rows = await make()
      await rows.write(batch({ entries: [entry()] }))
      assert.equal(await rows.closeOrphans(0), 1)
      await expectTotals(rows, { requests: 1, estimated: 1, ...sumsOf(7) })
    },
  },
  {
    name: 'forgets entries that are cancelled, also as orphans, and no record that was closed',
    async run(make) {
      const rows = await make()
      const [open, lost, done, never, other] = [entry(), entry(), entry(), entry(), entry()]
      await rows.write(batch({ entries: [lost] }))
      assert.equal(await rows.closeOrphans(0), 1)
      await rows.write(batch({ entries: [open, other], closings: [closing(done)] }))
      const cancelled = [open, lost, done, never].map(({ id }) => id)
      for (let times = 0; times < 2; times++) await rows.write(batch({ cancelled }))
      await expectTotals(rows, { requests: 2, open: 1, ...sumsOf(10) })
    },
  },
  {
    name: 'closes an orphan with the last that was heard of it',
    async run(make) {
      const rows = await make()
      const [one, two] = [entry(), entry({ estimate: charge(7, null) })]
      const write = (id: string, tokens: number | undefined) =>
        rows.write(batch({ progress: [{ id, charge: tokens === undefined ? undefined : charge(tokens) }] }))
      await rows.write(batch({ entries: [one, two] }))
      await write(one.id, 20)
      await write(one.id, 50)
      await write(one.id, undefined)
      await write(two.id, undefined)
      assert.equal(await rows.closeOrphans(0), 2)
      await expectTotals(rows, { requests: 2, estimated: 2, ...sumsOf(57), cost: 0.05, unpriced: 1 })
    },
  },
  {
    name: 'says of what it used last that it has no price',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened] }))
      await rows.write(batch({ progress: [{ id: opened.id, charge: charge(20, null) }] }))
      await rows.closeOrphans(0)
      await expectTotals(rows, { requests: 1, estimated: 1, ...sumsOf(20), cost: 0, unpriced: 1 })
    },
  },
  {
    name: 'takes an entry and its progress in one batch',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened], progress: [{ id: opened.id, charge: charge(5) }] }))
      await rows.closeOrphans(0)
      await expectTotals(rows, { requests: 1, estimated: 1, ...sumsOf(5) })
    },
  },
  {
    name: 'leaves open what was heard of lately, and what is closed',
    async run(make) {
      const rows = await make()
      const opened = entry({ openedAt: 0 })
      await rows.write(batch({ entries: [opened, entry()], closings: [closing(opened)] }))
      assert.equal(await rows.closeOrphans(hourMs), 0)
      await expectTotals(rows, { requests: 2, open: 1, ...sumsOf(10) })
      assert.equal(await rows.closeOrphans(0), 1)
      assert.equal(await rows.closeOrphans(0), 0)
    },
  },
  {
    name: 'takes progress for a sign of life, by its own clock',
    async run(make) {
      const rows = await make()
      const [silent, alive] = [entry({ principal: 'silent' }), entry({ principal: 'alive' })]
      await rows.write(batch({ entries: [silent, alive] }))
      await sleep(2_000)
      await rows.write(batch({ progress: [{ id: alive.id, charge: undefined }] }))
      assert.equal(await rows.closeOrphans(1_900), 1)
      assert.deepEqual(
        (await rows.usage({ by: ['key'] })).map(({ by, open }) => [by.key, open]),
        [
          ['alive', 1],
          ['silent', 0],
        ],
      )
    },
  },
  {
    name: 'changes nothing by progress of what is closed, lost or unknown',
    async run(make) {
      const rows = await make()
      const [closed, lost, unknown] = [entry(), entry(), entry()]
      await rows.write(batch({ entries: [closed, lost], closings: [closing(closed)] }))
      await rows.closeOrphans(0)
      const progress = [closed, lost, unknown].map(({ id }) => ({ id, charge: charge(500) }))
      await rows.write(batch({ progress }))
      await expectTotals(rows, { requests: 2, estimated: 1, ...sumsOf(17) })
    },
  },
  {
    name: 'lets a closing stand above the loss, once',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened] }))
      await rows.closeOrphans(0)
      await rows.write(batch({ closings: [closing(opened, { charge: charge(30) })] }))
      await expectTotals(rows, { requests: 1, ...sumsOf(30) })
      await rows.write(batch({ closings: [closing(opened, { charge: charge(99) })] }))
      assert.equal(await rows.closeOrphans(0), 0)
      await expectTotals(rows, { requests: 1, ...sumsOf(30) })
    },
  },
  {
    name: 'does not open again what was lost, by its entry',
    async run(make) {
      const rows = await make()
      const opened = entry()
      await rows.write(batch({ entries: [opened] }))
      await rows.closeOrphans(0)
      await rows.write(batch({ entries: [opened] }))
      await expectTotals(rows, { requests: 1, estimated: 1, ...sumsOf(7) })
    },
  },
]

import assert from 'node:assert/strict'
import { batchedLedger, type LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { batch, charge, closing, entry } from './records.ts'
import { expectTotals, sumsOf } from './totals.ts'

const crowd = 1_000

/** Concurrent writes. */
export const ledgerCrowds: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'keeps each of 1,000 records that are opened and closed at once, twice',
    async run(make) {
      const rows = await make()
      const entries = Array.from({ length: crowd }, () => entry())
      const opened = entries.map(each => rows.write(batch({ entries: [each] })))
      await Promise.all(opened)
      await expectTotals(rows, { requests: crowd, open: crowd })
      const closings = entries.map(each => batch({ closings: [closing(each)] }))
      await Promise.all([...closings, ...closings].map(each => rows.write(each)))
      await expectTotals(rows, { requests: crowd, ...sumsOf(10 * crowd) })
    },
  },
  {
    name: 'keeps a batch of 5,000',
    async run(make) {
      const rows = await make()
      const entries = Array.from({ length: 5_000 }, (_, index) => entry({ principal: `key ${index % 10}` }))
      await rows.write(batch({ entries }))
      await rows.write(
        batch({
          progress: entries.map(({ id }) => ({ id, charge: charge(1) })),
          closings: entries.map(each => closing(each)),
        }),
      )
      const found = await rows.usage({ by: ['key'] })
      assert.deepEqual(
        found.map(({ requests, promptTokens }) => [requests, promptTokens]),
        Array.from({ length: 10 }, () => [500, 5_000]),
      )
    },
  },
  {
    name: 'lets closings stand, whoever is first: they or the one that takes them for orphans',
    async run(make) {
      const rows = await make()
      const entries = Array.from({ length: 100 }, () => entry())
      await rows.write(batch({ entries }))
      await Promise.all(
        entries.flatMap(each => [rows.write(batch({ closings: [closing(each)] })), rows.closeOrphans(0)]),
      )
      await expectTotals(rows, { requests: 100, ...sumsOf(1_000) })
    },
  },
  {
    name: 'holds 1,000 requests of a ledger at once',
    async run(make) {
      const rows = await make()
      const ledger = batchedLedger(rows)
      await Promise.all(
        Array.from({ length: crowd }, async () => {
          const opened = entry()
          await ledger.open(opened, () => charge(1))
          await ledger.close(closing(opened))
        }),
      )
      await ledger.stop()
      await expectTotals(rows, { requests: crowd, ...sumsOf(10 * crowd) })
    },
  },
]

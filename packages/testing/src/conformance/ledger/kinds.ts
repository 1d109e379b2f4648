import assert from 'node:assert/strict'
import type { LedgerRepository, RecordKind, UsageQuery } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { batch, charge, closing, entry } from './records.ts'
import { expectTotals, sumsOf } from './totals.ts'

/** A call of a kind, of so many tokens. */
const call = (kind: RecordKind, tokens: number, principal = 'ann') =>
  closing(entry({ kind, principal }), { charge: charge(tokens), provider: kind })

/** Discarded calls are stored next to requests, but not counted with them. */
export const ledgerKinds: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'counts requests alone where nothing else is asked for',
    async run(make) {
      const rows = await make()
      const opened = entry()
      const closings = [closing(entry()), call('request', 5), call('hedge', 100), call('shadow', 1_000)]
      await rows.write(batch({ entries: [opened], closings }))
      await expectTotals(rows, { requests: 3, open: 1, ...sumsOf(15) })
      const [ann, ...others] = await rows.usage({ by: ['key', 'kind'], where: { key: 'ann' } })
      assert.deepEqual([ann?.by, ann?.requests, others], [{ key: 'ann', kind: 'request' }, 3, []])
    },
  },
  {
    name: 'counts the kinds that are asked for, and tells them apart',
    async run(make) {
      const rows = await make()
      const closings = [
        call('request', 1),
        call('hedge', 10),
        call('hedge', 20, 'bob'),
        call('shadow', 100),
        call('shadow', 200),
      ]
      await rows.write(batch({ closings }))
      const tokens = async (where: UsageQuery['where'] & object) =>
        (await rows.usage({ by: [], where })).map(({ requests, promptTokens }) => [requests, promptTokens])
      assert.deepEqual(await tokens({ kind: 'request' }), [[1, 1]])
      assert.deepEqual(await tokens({ kind: 'hedge' }), [[2, 30]])
      assert.deepEqual(await tokens({ kind: ['shadow', 'hedge', 'shadow'] }), [[4, 330]])
      assert.deepEqual(await tokens({ kind: ['request', 'hedge', 'shadow'] }), [[5, 331]])
      assert.deepEqual(await tokens({ kind: ['hedge', 'shadow'], key: 'bob' }), [[1, 20]])
      assert.deepEqual(await tokens({ kind: 'hedge', provider: 'shadow' }), [[0, 0]])
      const found = await rows.usage({ by: ['kind', 'key'], where: { kind: ['shadow', 'hedge'] } })
      assert.deepEqual(
        found.map(({ by, promptTokens }) => [by, promptTokens]),
        [
          [{ kind: 'hedge', key: 'ann' }, 10],
          [{ kind: 'hedge', key: 'bob' }, 20],
          [{ kind: 'shadow', key: 'ann' }, 300],
        ],
      )
    },
  },
  {
    name: 'keeps a call that nobody opened once, however often it is written, and its kind',
    async run(make) {
      const rows = await make()
      const hedge = call('hedge', 10)
      await rows.write(batch({ closings: [hedge, hedge] }))
      await rows.write(batch({ closings: [hedge] }))
      await rows.write(batch({ entries: [{ ...hedge.entry, kind: 'request' }] }))
      await rows.closeOrphans(0)
      await expectTotals(rows, {})
      const [row] = await rows.usage({ by: ['kind'], where: { kind: ['request', 'hedge', 'shadow'] } })
      assert.deepEqual([row?.by, row?.requests, row?.cost], [{ kind: 'hedge' }, 1, 0.01])
    },
  },
  {
    name: 'refuses a kind that there is not',
    async run(make) {
      const rows = await make()
      for (const kind of ['unused', '', null, undefined, [], ['hedge', 'all'], 7]) {
        await assert.rejects(
          async () => rows.usage({ by: [], where: { kind } } as UsageQuery),
          (error: unknown) => error instanceof TypeError && error.message.startsWith('usage(): '),
          JSON.stringify(kind),
        )
      }
    },
  },
]

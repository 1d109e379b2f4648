import assert from 'node:assert/strict'
import type { LedgerRepository, UsageQuery } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { batch, closing, entry } from './records.ts'

/** Queries of usage. */
export const ledgerUsage: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'tells usage from one moment to another, by when requests were opened',
    async run(make) {
      const rows = await make()
      const times = [1_000, 2_000, 3_000]
      await rows.write(
        batch({ closings: times.map(openedAt => closing(entry({ openedAt }), { closedAt: 9_000 })) }),
      )
      const count = async (span: Omit<UsageQuery, 'by'>) =>
        (await rows.usage({ by: [], ...span }))[0]?.requests
      assert.equal(await count({}), 3)
      assert.equal(await count({ from: 2_000 }), 2)
      assert.equal(await count({ from: new Date(2_001) }), 1)
      assert.equal(await count({ to: 2_000 }), 1)
      assert.equal(await count({ from: new Date(1_000), to: new Date(3_000) }), 2)
      assert.equal(await count({ from: 1_999.5, to: 2_000.5 }), 1)
      assert.equal(await count({ from: 3_000, to: 1_000 }), 0)
      assert.equal(await count({ from: -1e300, to: 1e300 }), 3)
      assert.deepEqual(await rows.usage({ by: ['key'], from: 4_000 }), [])
    },
  },
  {
    name: 'tells days in UTC',
    async run(make) {
      const rows = await make()
      const midnight = Date.UTC(2026, 10, 22)
      const times = [midnight - 1, midnight, midnight + 86_399_999, midnight + 86_400_000, 0]
      await rows.write(batch({ closings: times.map(openedAt => closing(entry({ openedAt }))) }))
      const days = await rows.usage({ by: ['day'] })
      assert.deepEqual(
        days.map(({ by, requests }) => [by.day, requests]),
        [
          ['1970-01-01', 1],
          ['2026-11-21', 1],
          ['2026-11-22', 2],
          ['2026-11-23', 1],
        ],
      )
    },
  },
  {
    name: 'gives a row for each combination, in order, and null last',
    async run(make) {
      const rows = await make()
      const made = [
        ['b', { team: 'x' }],
        ['a', { team: 'y' }],
        ['a', {}],
        ['a', { team: 'x' }],
        ['a', { team: 'x' }],
        ['B', { team: '' }],
      ] as const
      await rows.write(
        batch({ closings: made.map(([principal, tags]) => closing(entry({ principal, tags }))) }),
      )
      const found = await rows.usage({ by: ['key', 'tag:team', 'key'] })
      assert.deepEqual(
        found.map(({ by, requests }) => [by, requests]),
        [
          [{ key: 'B', 'tag:team': '' }, 1],
          [{ key: 'a', 'tag:team': 'x' }, 2],
          [{ key: 'a', 'tag:team': 'y' }, 1],
          [{ key: 'a', 'tag:team': null }, 1],
          [{ key: 'b', 'tag:team': 'x' }, 1],
        ],
      )
    },
  },
  {
    name: 'sorts texts by code point',
    async run(make) {
      const rows = await make()
      const inOrder = ['', ' ', 'Z', 'a', 'aa', 'z', 'é', 'ﬀ', '😀']
      await rows.write(
        batch({ closings: [...inOrder].reverse().map(principal => closing(entry({ principal }))) }),
      )
      assert.deepEqual(
        (await rows.usage({ by: ['key'] })).map(({ by }) => by.key),
        inOrder,
      )
    },
  },
  {
    name: 'tells by provider, null where nobody was asked',
    async run(make) {
      const rows = await make()
      await rows.write(
        batch({
          entries: [entry()],
          closings: [closing(entry()), closing(entry(), { provider: undefined, charge: undefined })],
        }),
      )
      assert.deepEqual(
        (await rows.usage({ by: ['provider'] })).map(({ by, requests, open }) => [
          by.provider,
          requests,
          open,
        ]),
        [
          ['openai', 1, 0],
          [null, 2, 1],
        ],
      )
    },
  },
  {
    name: 'refuses a query that it cannot answer, in words',
    async run(make) {
      const rows = await make()
      const wrong: readonly unknown[] = [
        undefined,
        {},
        { by: 'key' },
        { by: ['principal'] },
        { by: ['tag:'] },
        { by: [null] },
        { by: ['key; DROP TABLE x'] },
        { by: Array.from({ length: 9 }, (_, index) => `tag:${index}`) },
        { by: [], from: Number.NaN },
        { by: [], to: new Date(Number.NaN) },
        { by: [], from: '2026-11-21' },
      ]
      for (const query of wrong) {
        await assert.rejects(
          async () => rows.usage(query as UsageQuery),
          (error: unknown) => error instanceof TypeError && error.message.startsWith('usage(): '),
          JSON.stringify(query),
        )
      }
    },
  },
]

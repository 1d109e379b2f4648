import assert from 'node:assert/strict'
import type { LedgerEntry, LedgerRepository, UsageDimension, UsageQuery } from '@sluice/core/ledger'
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
    name: 'tells by operation, dialect, source and end user, null where there is none',
    async run(make) {
      const rows = await make()
      const made = [
        { operation: 'generate', dialect: 'chat', source: 'api_keys', user: 'eve' },
        { operation: 'generate', dialect: 'messages', source: 'api_keys', user: 'EVE' },
        { operation: 'embed', dialect: 'embeddings', source: 'https://issuer.test', user: undefined },
        { operation: 'countTokens', dialect: 'messages', source: undefined, user: '' },
      ] as const
      await rows.write(
        batch({
          entries: [entry({ operation: 'embed', dialect: 'embeddings', source: 's', user: 'open' })],
          closings: made.map(each => closing(entry(each))),
        }),
      )
      const told = async (dimension: UsageDimension) =>
        (await rows.usage({ by: [dimension] })).map(({ by, requests, open }) => [
          by[dimension],
          requests,
          open,
        ])
      assert.deepEqual(await told('operation'), [
        ['countTokens', 1, 0],
        ['embed', 2, 1],
        ['generate', 2, 0],
      ])
      assert.deepEqual(await told('dialect'), [
        ['chat', 1, 0],
        ['embeddings', 2, 1],
        ['messages', 2, 0],
      ])
      assert.deepEqual(await told('source'), [
        ['api_keys', 2, 0],
        ['https://issuer.test', 1, 0],
        ['s', 1, 1],
        [null, 1, 0],
      ])
      assert.deepEqual(await told('user'), [
        ['EVE', 1, 0],
        ['eve', 1, 0],
        ['open', 1, 1],
        [null, 2, 0],
      ])
      assert.deepEqual(
        (await rows.usage({ by: ['dialect', 'operation'], where: { key: 'ann', source: 'api_keys' } })).map(
          ({ by, requests }) => [by, requests],
        ),
        [
          [{ dialect: 'chat', operation: 'generate' }, 1],
          [{ dialect: 'messages', operation: 'generate' }, 1],
        ],
      )
    },
  },
  {
    name: 'keeps the operation, the dialect and the end user that an entry was opened with',
    async run(make) {
      const rows = await make()
      const opened = entry({ operation: 'embed', dialect: 'embeddings', source: 'jwt', user: 'eve' })
      await rows.write(batch({ entries: [opened] }))
      await rows.write(batch({ closings: [closing({ ...opened, operation: 'generate', user: 'bob' })] }))
      const [row, ...others] = await rows.usage({ by: ['operation', 'dialect', 'source', 'user'] })
      assert.deepEqual(
        [row?.by, row?.requests, others],
        [{ operation: 'embed', dialect: 'embeddings', source: 'jwt', user: 'eve' }, 1, []],
      )
    },
  },
  {
    name: 'takes an entry of an older version for a chat completion',
    async run(make) {
      const rows = await make()
      const { operation, dialect, ...older } = entry()
      const other: Partial<LedgerEntry> = { ...entry(), operation, dialect }
      Reflect.deleteProperty(other, 'operation')
      Reflect.deleteProperty(other, 'dialect')
      await rows.write(batch({ entries: [older as LedgerEntry], closings: [closing(other as LedgerEntry)] }))
      const [row, ...others] = await rows.usage({ by: ['operation', 'dialect', 'source', 'user'] })
      assert.deepEqual(
        [row?.by, row?.requests, row?.open, others],
        [{ operation: 'generate', dialect: 'chat', source: null, user: null }, 2, 1, []],
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
        { by: ['end_user'] },
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

import assert from 'node:assert/strict'
import type { LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { batch, closing, entry } from './records.ts'

const allKinds = ['request', 'hedge', 'shadow', 'timeout'] as const

/** Deletion of what is stored of a principal. Repositories that cannot delete pass. */
export const ledgerDeletions: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'deletes all records of a principal, and none of another one, also not of its id from another source',
    async run(make) {
      const rows = await make()
      if (rows.deletePrincipal === undefined) return
      const opened = entry({ source: 'api_keys' })
      await rows.write(
        batch({
          entries: [opened],
          closings: [
            closing(entry({ source: 'api_keys' })),
            closing(entry({ source: 'api_keys', kind: 'shadow' })),
            closing(entry({ source: 'jwt' })),
            closing(entry()),
            closing(entry()),
            closing(entry({ principal: 'Ann', source: 'api_keys' })),
            closing(entry({ principal: 'bob', source: 'api_keys' })),
          ],
        }),
      )
      const left = async () =>
        (await rows.usage({ by: ['key', 'source'], where: { kind: allKinds } })).map(({ by, requests }) => [
          by.key,
          by.source,
          requests,
        ])
      assert.equal(await rows.deletePrincipal({ id: 'ann', source: 'api_keys' }), 3)
      const others = [
        ['Ann', 'api_keys', 1],
        ['ann', 'jwt', 1],
        ['ann', null, 2],
        ['bob', 'api_keys', 1],
      ]
      assert.deepEqual(await left(), others)
      assert.equal(await rows.deletePrincipal({ id: 'ann', source: 'api_keys' }), 0)
      assert.equal(await rows.deletePrincipal({ id: 'nobody' }), 0)
      assert.equal(await rows.deletePrincipal({ id: 'ann' }), 2)
      assert.deepEqual(
        await left(),
        others.filter(([, source]) => source !== null),
      )
      // A request that was in flight has its record again when it ends.
      await rows.write(batch({ closings: [closing(opened)] }))
      assert.equal(await rows.deletePrincipal({ id: 'ann', source: 'api_keys' }), 1)
    },
  },
  {
    name: 'deletes many records of a principal',
    async run(make) {
      const rows = await make()
      if (rows.deletePrincipal === undefined) return
      for (let at = 0; at < 6; at++) {
        await rows.write(batch({ closings: Array.from({ length: 2_001 }, () => closing(entry())) }))
      }
      await rows.write(batch({ closings: [closing(entry({ principal: 'bob' }))] }))
      assert.equal(await rows.deletePrincipal({ id: 'ann' }), 12_006)
      const found = await rows.usage({ by: ['key'] })
      assert.deepEqual(
        found.map(({ by, requests }) => [by.key, requests]),
        [['bob', 1]],
      )
    },
  },
  {
    name: 'takes the id and the source of a principal to delete as data',
    async run(make) {
      const rows = await make()
      if (rows.deletePrincipal === undefined) return
      const texts = hostileTexts.map(([text]) => text)
      await rows.write(
        batch({ closings: texts.map(text => closing(entry({ principal: text, source: text }))) }),
      )
      await rows.write(batch({ closings: [closing(entry({ principal: 'bob', source: 'jwt' }))] }))
      let deleted = 0
      for (const text of texts) deleted += await rows.deletePrincipal({ id: text, source: text })
      assert.equal(deleted, texts.length)
      assert.equal((await rows.usage({ by: [] }))[0]?.requests, 1)
    },
  },
]

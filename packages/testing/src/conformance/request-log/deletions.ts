import assert from 'node:assert/strict'
import type { RequestLogRepository } from '@sluice/core/store'
import type { ConformanceCase } from '../conformance-case.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { findIds, noon, row } from './rows.ts'

/** Deletion by age, by size and by principal. */
export const requestLogDeletions: readonly ConformanceCase<RequestLogRepository>[] = [
  {
    name: 'deletes rows that arrived before a time, with their tags',
    async run(make) {
      const repository = await make()
      const [old, kept, young] = [row({ at: noon - 1 }), row({ at: noon }), row({ at: noon + 1 })]
      await repository.insert([old, kept, young])
      assert.equal(await repository.deleteBefore(noon), 1)
      assert.equal(await repository.deleteBefore(noon), 0)
      assert.deepEqual(await findIds(repository), [young.id, kept.id])
      assert.deepEqual(await findIds(repository, { where: { tags: { team: 'search' } } }), [
        young.id,
        kept.id,
      ])
    },
  },
  {
    name: 'deletes and counts many rows',
    async run(make) {
      const repository = await make()
      for (let batch = 0; batch < 6; batch++) {
        await repository.insert(
          Array.from({ length: 1_001 }, (_, index) => row({ at: noon + batch * 1_001 + index })),
        )
      }
      assert.equal(await repository.excessBefore({ maxRows: 6_006 }), undefined)
      assert.equal(await repository.excessBefore({ maxRows: 1_000 }), noon + 5_006)
      assert.equal(await repository.deleteBefore(noon + 5_006), 5_006)
      assert.equal(await repository.deletePrincipal({ id: 'ann', source: 'api_keys' }), 1_000)
      assert.deepEqual(await findIds(repository), [])
    },
  },
  {
    name: 'says which rows are more than fit, by number and by size',
    async run(make) {
      const repository = await make()
      assert.equal(await repository.excessBefore({ maxRows: 1, maxBytes: 1 }), undefined)
      const rows = [0, 1, 2, 3].map(ms => row({ at: noon + ms }))
      await repository.insert(rows)
      assert.equal(await repository.excessBefore({}), undefined)
      assert.equal(await repository.excessBefore({ maxRows: 4 }), undefined)
      assert.equal(await repository.excessBefore({ maxRows: 3 }), noon + 1)
      assert.equal(await repository.excessBefore({ maxRows: 1 }), noon + 3)
      const bytes = JSON.stringify(rows[0]).length
      assert.equal(await repository.excessBefore({ maxBytes: 8 * bytes }), undefined)
      const before = await repository.excessBefore({ maxBytes: 2.5 * bytes })
      assert.ok(before === noon + 2 || before === noon + 3, String(before))
      assert.equal(await repository.excessBefore({ maxRows: 1, maxBytes: 8 * bytes }), noon + 3)
      // Even the newest is more than that.
      assert.equal(await repository.excessBefore({ maxBytes: 1 }), noon + 4)
    },
  },
  {
    name: 'counts rows of one millisecond together, as they are deleted together',
    async run(make) {
      const repository = await make()
      await repository.insert([row(), row(), row(), row({ at: noon + 1 })])
      assert.equal(await repository.excessBefore({ maxRows: 2 }), noon + 1)
    },
  },
  {
    name: 'deletes the rows of a principal, and none of another one, also not of its id from another source',
    async run(make) {
      const repository = await make()
      const others = [
        row({ source: 'jwt' }),
        row({ source: null }),
        row({ principal: 'Ann' }),
        row({ principal: 'bob' }),
        row({ principal: null, source: null }),
      ]
      await repository.insert([row(), ...others, row()])
      assert.equal(await repository.deletePrincipal({ id: 'ann', source: 'api_keys' }), 2)
      assert.equal(await repository.deletePrincipal({ id: 'ann', source: 'api_keys' }), 0)
      assert.deepEqual(await findIds(repository), others.map(({ id }) => id).reverse())
      assert.equal(await repository.deletePrincipal({ id: 'ann' }), 1)
      const tagged = await findIds(repository, { where: { tags: { team: 'search' } } })
      assert.equal(tagged.length, 4)
    },
  },
  {
    name: 'takes the principal to delete as data',
    async run(make) {
      const repository = await make()
      const texts = hostileTexts.map(([text]) => text)
      const kept = hostileTexts.map(([, text]) => text)
      await repository.insert(
        kept.map(text => row({ principal: text, source: text, tags: { [text]: text } })),
      )
      await repository.insert([row({ principal: 'bob' })])
      let deleted = 0
      for (const text of texts) deleted += await repository.deletePrincipal({ id: text, source: text })
      assert.equal(deleted, texts.length)
      assert.equal((await findIds(repository)).length, 1)
    },
  },
]

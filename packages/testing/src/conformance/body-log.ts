import assert from 'node:assert/strict'
import type { BodyLogRepository, StoredBodies } from '@sluice/core/store'
import type { ConformanceCase } from './conformance-case.ts'
import { hostileTexts } from './hostile-texts.ts'

const noon = Date.UTC(2026, 10, 21, 12)
let made = 0

function row(changes: Partial<StoredBodies> = {}): StoredBodies {
  made += 1
  return {
    id: `req_${String(made).padStart(8, '0')}`,
    at: noon,
    principal: 'ann',
    source: 'api_keys',
    keyId: '0123456789ab',
    sealed: 'AAECAwQFBgcICQ==',
    ...changes,
  }
}

async function storedIds(
  repository: BodyLogRepository,
  rows: readonly StoredBodies[],
): Promise<readonly string[]> {
  const found = await Promise.all(rows.map(({ id }) => repository.get(id)))
  return found.flatMap(each => (each === undefined ? [] : [each.id]))
}

/**
 * Tests a `BodyLogRepository`, in any test runner.
 *
 * @example
 * for (const { name, run } of bodyLogConformance) it(name, () => run(async () => emptyRepository()))
 */
export const bodyLogConformance: readonly ConformanceCase<BodyLogRepository>[] = [
  {
    name: 'returns rows as they were stored, and nothing for another id',
    async run(make) {
      const repository = await make()
      const rows = [row(), row({ source: null, at: noon + 1, sealed: 'A'.repeat(2_000_000) })]
      await repository.insert(rows)
      await repository.insert([])
      for (const each of rows) assert.deepEqual(await repository.get(each.id), each)
      assert.equal(await repository.get('req_other'), undefined)
    },
  },
  {
    name: 'ignores a row that is stored already',
    async run(make) {
      const repository = await make()
      const [first, second] = [row(), row()]
      await repository.insert([first])
      await repository.insert([{ ...first, sealed: 'another' }, second])
      assert.deepEqual(await repository.get(first.id), first)
      assert.deepEqual(await repository.get(second.id), second)
    },
  },
  {
    name: 'deletes rows that arrived before a time',
    async run(make) {
      const repository = await make()
      const rows = [row({ at: noon - 1 }), row(), row({ at: noon + 1 })]
      await repository.insert(rows)
      assert.equal(await repository.deleteBefore(noon), 1)
      assert.equal(await repository.deleteBefore(noon), 0)
      assert.deepEqual(
        await storedIds(repository, rows),
        rows.slice(1).map(({ id }) => id),
      )
    },
  },
  {
    name: 'deletes and counts many rows',
    async run(make) {
      const repository = await make()
      const rows = Array.from({ length: 1_201 }, (_, index) => row({ at: noon + index }))
      await repository.insert(rows)
      assert.equal(await repository.deleteBefore(noon + 1_100), 1_100)
      assert.equal(await repository.deletePrincipal({ id: 'ann', source: 'api_keys' }), 101)
    },
  },
  {
    name: 'deletes the rows of a principal, and none of another one, also not of its id from another source',
    async run(make) {
      const repository = await make()
      const others = [row({ source: 'jwt' }), row({ source: null }), row({ principal: 'Ann' })]
      const own = [row(), row()]
      await repository.insert([...own, ...others])
      assert.equal(await repository.deletePrincipal({ id: 'ann', source: 'api_keys' }), 2)
      assert.equal(await repository.deletePrincipal({ id: 'ann', source: 'api_keys' }), 0)
      assert.deepEqual(
        await storedIds(repository, [...own, ...others]),
        others.map(({ id }) => id),
      )
      assert.equal(await repository.deletePrincipal({ id: 'ann' }), 1)
    },
  },
  {
    name: 'takes texts as data',
    async run(make) {
      const repository = await make()
      const rows = hostileTexts.map(([, text]) =>
        row({ id: text, principal: text, source: text, keyId: text, sealed: text }),
      )
      const distinct = rows.filter(({ id }, index) => rows.findIndex(each => each.id === id) === index)
      await repository.insert(distinct)
      for (const each of distinct) assert.deepEqual(await repository.get(each.id), each)
      let deleted = 0
      for (const [text] of hostileTexts)
        deleted += await repository.deletePrincipal({ id: text, source: text })
      assert.equal(deleted, distinct.length)
    },
  },
]

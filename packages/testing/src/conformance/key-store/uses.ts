import assert from 'node:assert/strict'
import type { KeyRepository } from '@sluice/core/keys'
import type { ConformanceCase } from '../conformance-case.ts'
import { clockedKeys } from './clocked-keys.ts'

/** Recording the use of keys. */
export const keyUses: readonly ConformanceCase<KeyRepository>[] = [
  {
    name: 'notes the use of a key once a minute',
    async run(make) {
      const { keys, find, pass, now: start } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'a' })
      const { stored: unused } = await keys.issue({ name: 'b' })
      const noted = async () => (await keys.get(stored.id))?.lastUsedAt
      assert.equal(await noted(), null)
      await find(key)
      assert.equal(await noted(), start)
      pass(59_999)
      await find(key)
      assert.equal(await noted(), start)
      pass(1)
      await find(key)
      assert.equal(await noted(), start + 60_000)
      assert.equal((await keys.get(unused.id))?.lastUsedAt, null)
    },
  },
  {
    name: 'does not note the use of a secret that has ended',
    async run(make) {
      const { keys, find, pass, now: start } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'a' })
      const { key: fresh } = await keys.rotate(stored.id, { overlapMs: 1_000 })
      const noted = async () => (await keys.get(stored.id))?.lastUsedAt
      pass(1_000)
      assert.equal(await find(key), undefined)
      assert.equal(await noted(), null)
      await find(fresh)
      assert.equal(await noted(), start + 1_000)
    },
  },
  {
    name: 'does not put the last use back where a clock is behind',
    async run(make) {
      const { keys, find, pass, now: start } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'a' })
      await find(key)
      pass(-3_600_000)
      assert.equal((await find(key))?.id, stored.id)
      assert.equal((await keys.get(stored.id))?.lastUsedAt, start)
    },
  },
  {
    name: 'is asked for one key by 1,000 at once',
    async run(make) {
      const { keys, find, now } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'a' })
      const found = await Promise.all(Array.from({ length: 1_000 }, () => find(key)))
      assert.ok(found.every(record => record?.id === stored.id))
      assert.equal((await keys.get(stored.id))?.lastUsedAt, now)
    },
  },
]

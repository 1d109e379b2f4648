import assert from 'node:assert/strict'
import type { KeyRepository } from '@sluice/core/keys'
import type { ConformanceCase } from '../conformance-case.ts'
import { clockedKeys } from './clocked-keys.ts'

/** How keys are deleted. */
export const keyDeletions: readonly ConformanceCase<KeyRepository>[] = [
  {
    name: 'deletes a key with all its secrets, once, and leaves the others',
    async run(make) {
      const { rows, keys, find, now } = await clockedKeys(make)
      const { key: otherKey, stored: other } = await keys.issue({ name: 'other' })
      const { key, stored } = await keys.issue({ name: 'a' })
      const { key: newer } = await keys.rotate(stored.id, { overlapMs: 60_000 })
      await find(key)
      assert.deepEqual([await keys.delete(stored.id), await keys.delete(stored.id)], [true, false])
      assert.deepEqual([await find(key), await find(newer)], [undefined, undefined])
      assert.equal(await keys.get(stored.id), undefined)
      assert.deepEqual(await keys.list(), [other])
      await assert.rejects(keys.update(stored.id, { disabled: false }), TypeError)
      await assert.rejects(keys.update(stored.id, {}), TypeError)
      await assert.rejects(keys.rotate(stored.id), TypeError)
      assert.equal((await find(otherKey))?.id, other.id)
      // As with what an administrator brings back from a backup.
      await rows.insert(stored)
      assert.deepEqual([(await find(key))?.id, await find(newer)], [stored.id, undefined])
      assert.equal((await keys.get(stored.id))?.lastUsedAt, now)
    },
  },
  {
    name: 'deletes none that is not there',
    async run(make) {
      const { rows, keys } = await clockedKeys(make)
      const { stored } = await keys.issue({ name: 'a' })
      for (const id of ['nobody', '%', '', `${stored.id} `, `${stored.id}x`])
        assert.equal(await rows.delete(id), false)
      assert.deepEqual(await keys.list(), [stored])
    },
  },
  {
    name: 'leaves nothing of a key that is deleted while others change, rotate and use it',
    async run(make) {
      const { keys, find } = await clockedKeys(make)
      for (let times = 0; times < 5; times++) {
        const { key, stored } = await keys.issue({ name: 'a' })
        const rotations = await Promise.allSettled([
          keys.rotate(stored.id, { overlapMs: 60_000 }),
          keys.update(stored.id, { name: 'b' }).then(() => undefined),
          find(key).then(() => undefined),
          keys.delete(stored.id).then(() => undefined),
          keys.rotate(stored.id, { overlapMs: 60_000 }),
        ])
        assert.equal(await keys.delete(stored.id), false)
        assert.equal(await find(key), undefined)
        for (const rotation of rotations) {
          if (rotation.status === 'rejected') assert.ok(rotation.reason instanceof TypeError, rotation.reason)
          else if (rotation.value) assert.equal(await find(rotation.value.key), undefined)
        }
      }
      assert.deepEqual(await keys.list(), [])
    },
  },
]

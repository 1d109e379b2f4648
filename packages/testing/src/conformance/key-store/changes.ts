import assert from 'node:assert/strict'
import type { KeyChanges, KeyRepository } from '@sluice/core/keys'
import type { ConformanceCase } from '../conformance-case.ts'
import { clockedKeys } from './clocked-keys.ts'

/** How keys are changed. */
export const keyChanges: readonly ConformanceCase<KeyRepository>[] = [
  {
    name: 'changes what is given, and leaves the rest',
    async run(make) {
      const { keys, find, now } = await clockedKeys(make)
      const { key, stored: other } = await keys.issue({ name: 'other', models: ['x'] })
      await find(key)
      const issued = await keys.issue({
        name: 'old',
        models: ['small'],
        tags: { a: '1' },
        expiresAt: now + 5,
      })
      await find(issued.key)
      const { id } = issued.stored
      const limits = [{ kind: 'concurrent', limit: 2, scopes: ['key'] }] as const
      const steps: readonly KeyChanges[] = [
        { name: 'new' },
        { models: ['large'] },
        { models: null },
        { tags: { b: '2' } },
        { limits },
        { limits: null, tags: null },
        { expiresAt: now + 9 },
        { expiresAt: null, disabled: true },
        { disabled: false },
        {},
      ]
      let expected = await keys.get(id)
      assert.equal(expected?.lastUsedAt, now)
      for (const step of steps) {
        expected = { ...expected, ...step } as typeof expected
        assert.deepEqual(await keys.update(id, step), expected)
        assert.deepEqual(await keys.get(id), expected)
      }
      assert.deepEqual(await keys.get(other.id), { ...other, lastUsedAt: now })
    },
  },
  {
    name: 'tells a gateway of each change',
    async run(make) {
      const { keys, find, now } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'a' })
      const expiresAt = now + 60_000
      await keys.update(stored.id, { disabled: true, models: ['small'], tags: { team: 'x' }, expiresAt })
      const found = await find(key)
      assert.deepEqual(
        [found?.disabled, found?.models, found?.tags, found?.expiresAt],
        [true, ['small'], { team: 'x' }, expiresAt],
      )
    },
  },
  {
    name: 'does not undo what another one changes at the same time',
    async run(make) {
      const { keys } = await clockedKeys(make)
      const { stored } = await keys.issue({ name: 'a' })
      const changes: readonly KeyChanges[] = [
        { name: 'b' },
        { disabled: true },
        { models: ['small'] },
        { tags: { team: 'x' } },
        { expiresAt: 1_000 },
      ]
      await Promise.all(changes.map(change => keys.update(stored.id, change)))
      assert.deepEqual(await keys.get(stored.id), Object.assign({ ...stored }, ...changes))
    },
  },
  {
    name: 'says that a key is not there',
    async run(make) {
      const { keys, rows, now } = await clockedKeys(make)
      const secret = { digest: 'd', createdAt: now, expiresAt: null }
      assert.equal(await rows.update('nobody', { name: 'x' }), false)
      assert.equal(await rows.update('nobody', {}), false)
      assert.equal(await rows.addSecret('nobody', secret, now, now), false)
      assert.equal(await rows.findByDigest('d', now), undefined)
      await assert.rejects(keys.update('nobody', { name: 'x' }), TypeError)
      await assert.rejects(keys.rotate('nobody'), TypeError)
    },
  },
]

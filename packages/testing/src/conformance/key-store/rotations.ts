import assert from 'node:assert/strict'
import type { KeyRepository } from '@sluice/core/keys'
import type { ConformanceCase } from '../conformance-case.ts'
import { clockedKeys } from './clocked-keys.ts'

/** How the secret of a key is changed. */
export const keyRotations: readonly ConformanceCase<KeyRepository>[] = [
  {
    name: 'ends the old secret at once where nothing else is said',
    async run(make) {
      const { keys, find } = await clockedKeys(make)
      const issued = await keys.issue({ name: 'a' })
      const rotated = await keys.rotate(issued.stored.id)
      assert.equal(await find(issued.key), undefined)
      assert.equal((await find(rotated.key))?.id, issued.stored.id)
      assert.notEqual(rotated.key, issued.key)
    },
  },
  {
    name: 'lets the old secret go on for as long as is said',
    async run(make) {
      const { keys, find, pass } = await clockedKeys(make)
      const issued = await keys.issue({ name: 'a' })
      pass(10)
      const rotated = await keys.rotate(issued.stored.id, { overlapMs: 1_000 })
      const [fresh, old] = rotated.stored.secrets
      assert.equal(fresh?.expiresAt, null)
      assert.equal(old?.digest, issued.stored.secrets[0]?.digest)
      assert.deepEqual(await keys.get(issued.stored.id), rotated.stored)
      pass(999)
      assert.equal((await find(issued.key))?.id, issued.stored.id)
      assert.equal((await find(rotated.key))?.id, issued.stored.id)
      pass(1)
      assert.equal(await find(issued.key), undefined)
      assert.equal((await find(rotated.key))?.id, issued.stored.id)
    },
  },
  {
    name: 'does not prolong a secret that ends sooner',
    async run(make) {
      const { keys, find, pass } = await clockedKeys(make)
      const first = await keys.issue({ name: 'a' })
      const second = await keys.rotate(first.stored.id, { overlapMs: 1_000 })
      const third = await keys.rotate(first.stored.id, { overlapMs: 60_000 })
      assert.equal(third.stored.secrets.length, 3)
      pass(1_000)
      assert.equal(await find(first.key), undefined)
      assert.ok(await find(second.key))
      assert.ok(await find(third.key))
      const fourth = await keys.rotate(first.stored.id)
      assert.equal(await find(second.key), undefined)
      assert.equal(await find(third.key), undefined)
      assert.ok(await find(fourth.key))
    },
  },
  {
    name: 'forgets what has ended, and of no other key',
    async run(make) {
      const { keys, pass } = await clockedKeys(make)
      const [one, other] = [await keys.issue({ name: 'a' }), await keys.issue({ name: 'b' })]
      await keys.rotate(other.stored.id, { overlapMs: 10 })
      for (let times = 0; times < 5; times++) {
        await keys.rotate(one.stored.id, { overlapMs: 10 })
        pass(20)
      }
      const { stored } = await keys.rotate(one.stored.id, { overlapMs: 10 })
      assert.equal(stored.secrets.length, 2)
      assert.equal((await keys.get(other.stored.id))?.secrets.length, 2)
    },
  },
  {
    name: 'keeps each secret of those who rotate at once, newest first',
    async run(make) {
      const { keys, find } = await clockedKeys(make)
      const issued = await keys.issue({ name: 'a' })
      const rotated = await Promise.all(
        Array.from({ length: 10 }, () => keys.rotate(issued.stored.id, { overlapMs: 1_000 })),
      )
      const stored = await keys.get(issued.stored.id)
      assert.equal(stored?.secrets.length, 11)
      assert.equal(stored?.secrets.filter(({ expiresAt }) => expiresAt === null).length, 1)
      assert.equal(stored?.secrets[0]?.expiresAt, null)
      for (const { key } of [issued, ...rotated]) assert.equal((await find(key))?.id, issued.stored.id)
    },
  },
  {
    name: 'keeps what else is known of the key',
    async run(make) {
      const { keys, find, now } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'a', models: ['small'], tags: { team: 'x' } })
      await find(key)
      const rotated = await keys.rotate(stored.id)
      assert.deepEqual({ ...rotated.stored, secrets: [] }, { ...stored, lastUsedAt: now, secrets: [] })
    },
  },
]

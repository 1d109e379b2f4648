import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AlertStore, CacheKey, CacheLifetime } from '@sluice/core/store'
import type { ConformanceCase } from './conformance-case.ts'

const long: CacheLifetime = { ttlMs: 60_000, pinned: true }
const short: CacheLifetime = { ttlMs: 250, pinned: true }

/**
 * Tests an `AlertStore`, in any test runner. Each case uses keys of its own, so that all can share a database. Some cases wait up to
 * 5 seconds until a text has expired.
 *
 * @example
 * for (const { name, run } of alertStoreConformance) it(name, () => run(async () => myStore()))
 */
export const alertStoreConformance: readonly ConformanceCase<AlertStore>[] = [
  over('adds a text once, and returns it to the next', async (store, key) => {
    assert.equal(await store.add(key, 'sending', long), 'added')
    assert.deepEqual(await store.add(key, 'other', long), { existing: 'sending' })
    assert.deepEqual(await store.add(key, 'other', long), { existing: 'sending' })
  }),
  over('lets one of many add', async (store, key) => {
    const results = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => store.add(key, `text ${index}`, long)),
    )
    const added = results.indexOf('added')
    for (const [index, result] of results.entries()) {
      if (index !== added) assert.deepEqual(result, { existing: `text ${added}` })
    }
  }),
  over('adds again once a text has expired', async (store, key) => {
    assert.equal(await store.add(key, 'one', short), 'added')
    await expired(store, key, 'two')
    assert.deepEqual(await store.add(key, 'three', long), { existing: 'two' })
  }),
  over('stores a text for a fraction of a millisecond, and for 400 days', async (store, key) => {
    const other = { ...key, name: 'other' }
    assert.equal(await store.add(key, 'one', { ttlMs: 0.5, pinned: true }), 'added')
    await expired(store, key, 'two')
    assert.equal(await store.add(other, 'one', { ttlMs: 400 * 86_400_000, pinned: true }), 'added')
    assert.deepEqual(await store.add(other, 'two', long), { existing: 'one' })
  }),
  over('replaces only the expected text', async (store, key) => {
    assert.equal(await store.replace(key, 'one', 'two', long), false)
    assert.equal(await store.add(key, 'one', long), 'added')
    for (const other of ['on', 'one ', 'ONE', 'two']) {
      assert.equal(await store.replace(key, other, 'three', long), false)
    }
    assert.equal(await store.replace(key, 'one', 'two', long), true)
    assert.deepEqual(await store.add(key, 'three', long), { existing: 'two' })
  }),
  over('replaces with a new lifetime', async (store, key) => {
    const other = { ...key, name: 'other' }
    for (const each of [key, other]) assert.equal(await store.add(each, 'one', short), 'added')
    assert.equal(await store.replace(key, 'one', 'two', long), true)
    await expired(store, other, 'two')
    assert.deepEqual(await store.add(key, 'three', long), { existing: 'two' })
    assert.equal(await store.replace(key, 'two', 'three', short), true)
    await expired(store, key, 'four')
  }),
  over('lets one of many replace', async (store, key) => {
    assert.equal(await store.add(key, 'free', long), 'added')
    const replaced = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => store.replace(key, 'free', `text ${index}`, long)),
    )
    assert.equal(replaced.filter(Boolean).length, 1)
    assert.deepEqual(await store.add(key, 'other', long), { existing: `text ${replaced.indexOf(true)}` })
  }),
  over('removes only the expected text', async (store, key) => {
    assert.equal(await store.add(key, 'one', long), 'added')
    assert.equal(await store.replace(key, 'two', undefined, long), false)
    assert.deepEqual(await store.add(key, 'two', long), { existing: 'one' })
    assert.equal(await store.replace(key, 'one', undefined, long), true)
    assert.equal(await store.replace(key, 'one', undefined, long), false)
    assert.equal(await store.add(key, 'two', long), 'added')
  }),
  over('does not replace a text that has expired', async (store, key) => {
    const other = { ...key, name: 'other' }
    for (const each of [key, other]) assert.equal(await store.add(each, 'one', short), 'added')
    await expired(store, other, 'two')
    assert.equal(await store.replace(key, 'one', 'two', long), false)
    assert.equal(await store.add(key, 'three', long), 'added')
  }),
  over('separates keys with any names, and stores any text', async (store, key) => {
    const ends = ['', '{a}', ':', ' ', '"', 'é', '😀', '%', '\0', '\n', 'x'.repeat(2_000)]
    const keys = ends.flatMap(end => [
      { ...key, name: `${key.name}${end}` },
      { ...key, owner: `${key.owner}.${end}` },
    ])
    for (const each of keys) assert.equal(await store.add(each, `one ${each.owner}`, long), 'added')
    for (const each of keys) {
      assert.deepEqual(await store.add(each, 'two', long), { existing: `one ${each.owner}` })
    }
  }),
]

function over(
  name: string,
  body: (store: AlertStore, key: CacheKey) => Promise<void>,
): ConformanceCase<AlertStore> {
  // An owner of its own, as alerts have.
  return { name, run: async make => body(await make(), { owner: `alerts ${randomUUID()}`, name: 'alert' }) }
}

/** Resolves when a key has no text any more, and has got `next`. */
async function expired(store: AlertStore, key: CacheKey, next: string): Promise<void> {
  const deadline = performance.now() + 5_000
  while ((await store.add(key, next, long)) !== 'added') {
    assert.ok(performance.now() < deadline, 'The text is still there although it has expired.')
    await sleep(5)
  }
}

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CacheKey, CacheStore } from '@sluice/core'
import type { CacheLifetime } from '@sluice/core/store'

const long: CacheLifetime = { ttlMs: 60_000 }
const short: CacheLifetime = { ttlMs: 250 }
const pinned: CacheLifetime = { ttlMs: 60_000, pinned: true }
/** How many texts one owner may have, in the cases about that. */
const share = 3

/** The options of a cache store in a test. */
export interface CacheStoreSettings {
  /** How many texts one owner may have. Default: any number of at least 50. */
  readonly maxEntriesPerOwner?: number
}

/** One test of `cacheStoreConformance`. */
export interface CacheStoreCase {
  readonly name: string
  /** Rejects if the store breaks the contract. `make` returns a store, which need not be empty, each time it is called. */
  run(make: (settings: CacheStoreSettings) => Promise<CacheStore>): Promise<void>
}

/**
 * Tests a cache store, in any test runner. Each case uses keys of its own, so that all can share a database. Some cases wait up
 * to 5 seconds until a text has expired.
 *
 * @example
 * for (const { name, run } of cacheStoreConformance) it(name, () => run(async settings => myStore(settings)))
 */
export const cacheStoreConformance: readonly CacheStoreCase[] = [
  over('has nothing under a key that it was never told of', async (store, key) => {
    assert.equal(await store.get(key), undefined)
  }),
  over('gives what it was told to keep, again and again', async (store, key) => {
    await store.set(key, 'one', long)
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.get({ ...key, name: `${key.name}.` }), undefined)
  }),
  over('keeps another text in its place', async (store, key) => {
    await store.set(key, 'one', long)
    await store.set(key, 'two', long)
    assert.equal(await store.get(key), 'two')
  }),
  over('keeps every character of a text', async (store, key) => {
    const text = Array.from({ length: 0x2_10 }, (_, unit) => String.fromCodePoint(unit * 0x80 + 1))
      .filter(character => character.isWellFormed())
      .join('')
    for (const kept of [text, '\0', '\r\n \ufeff', '😀', 'null', '0', '"']) {
      await store.set(key, kept, long)
      assert.equal(await store.get(key), kept)
    }
  }),
  over('keeps a text of a mebibyte', async (store, key) => {
    const text = 'é"\\\n'.repeat(209_716)
    await store.set(key, text, long)
    assert.equal(await store.get(key), text)
    assert.equal(await store.replace(key, text, 'less', long), true)
    assert.equal(await store.get(key), 'less')
  }),
  over('forgets a text when its time is over', async (store, key) => {
    await store.set(key, 'one', short)
    await gone(store, key)
    assert.equal(await store.add(key, 'two', long), 'added')
    assert.equal(await store.get(key), 'two')
  }),
  over('takes a part of a millisecond for a time', async (store, key) => {
    await store.set(key, 'one', { ttlMs: 0.5 })
    await gone(store, key)
    await store.set(key, 'one', { ttlMs: 60_000.5 })
    assert.equal(await store.get(key), 'one')
  }),
  over('goes by the last time that it was told', async (store, key) => {
    const other = { ...key, name: `${key.name}.other` }
    await store.set(key, 'one', short)
    await store.set(other, 'one', short)
    await store.set(key, 'one', long)
    await gone(store, other)
    assert.equal(await store.get(key), 'one')
    await store.set(key, 'one', short)
    await gone(store, key)
  }),
  over('adds where nothing is', async (store, key) => {
    assert.equal(await store.add(key, 'one', long), 'added')
    assert.equal(await store.get(key), 'one')
  }),
  over('adds nothing where something is, gives it, and leaves it its time', async (store, key) => {
    await store.set(key, 'one', short)
    assert.deepEqual(await store.add(key, 'two', long), { existing: 'one' })
    await gone(store, key)
  }),
  over('lets one of many add', async (store, key) => {
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`)
    const found = await Promise.all(texts.map(async text => store.add(key, text, long)))
    const kept = await store.get(key)
    assert.equal(found.filter(result => result === 'added').length, 1)
    for (const result of found) if (result !== 'added') assert.deepEqual(result, { existing: kept })
    assert.equal(found.indexOf('added'), texts.indexOf(kept ?? ''))
  }),
  over('replaces just what it is told to', async (store, key) => {
    assert.equal(await store.replace(key, 'one', 'two', long), false)
    assert.equal(await store.get(key), undefined)
    await store.set(key, 'one', long)
    for (const other of ['on', 'one ', 'ONE', 'two']) {
      assert.equal(await store.replace(key, other, 'three', long), false)
    }
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.replace(key, 'one', 'two', long), true)
    assert.equal(await store.get(key), 'two')
    assert.equal(await store.replace(key, 'one', 'three', long), false)
    assert.equal(await store.get(key), 'two')
  }),
  over('gives what it replaces another time, also by itself', async (store, key) => {
    const other = { ...key, name: `${key.name}.other` }
    await store.set(other, 'one', short)
    await store.set(key, 'one', short)
    assert.equal(await store.replace(key, 'one', 'one', long), true)
    await gone(store, other)
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.replace(key, 'one', 'two', short), true)
    await gone(store, key)
  }),
  over('removes just what it is told to', async (store, key) => {
    await store.set(key, 'one', long)
    assert.equal(await store.replace(key, 'two', undefined, long), false)
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.replace(key, 'one', undefined, long), true)
    assert.equal(await store.get(key), undefined)
    assert.equal(await store.replace(key, 'one', undefined, long), false)
  }),
  over('lets one of many replace', async (store, key) => {
    await store.set(key, 'free', long)
    const taken = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => store.replace(key, 'free', `text ${index}`, long)),
    )
    assert.equal(taken.filter(Boolean).length, 1)
    assert.equal(await store.get(key), `text ${taken.indexOf(true)}`)
  }),
  over('does not replace what its time has taken', async (store, key) => {
    await store.set(key, 'one', short)
    await gone(store, key)
    assert.equal(await store.replace(key, 'one', 'two', long), false)
    assert.equal(await store.get(key), undefined)
  }),
  over('keeps keys apart, whatever they are called', async (store, key) => {
    const ends = ['', '{a}', '}{', ':', ' ', 'é', '😀', '%', '*', 'x'.repeat(200)]
    const keys = ends.flatMap(end => [
      { ...key, name: `${key.name}${end}` },
      { ...key, owner: `${key.owner}${end}.` },
    ])
    for (const each of keys) await store.set(each, JSON.stringify(each), long)
    for (const each of keys) assert.equal(await store.get(each), JSON.stringify(each))
  }),
  over('keeps what two owners give the same name apart', async (store, key) => {
    const other = { ...key, owner: `${key.owner}.other` }
    await store.set(key, 'one', long)
    assert.equal(await store.get(other), undefined)
    assert.equal(await store.replace(other, 'one', undefined, long), false)
    assert.equal(await store.add(other, 'two', pinned), 'added')
    assert.deepEqual([await store.get(key), await store.get(other)], ['one', 'two'])
  }),
  over('deletes all that an owner has, and nothing of another one, where it can', async (store, key) => {
    if (store.deleteOwner === undefined) return
    const owned = (owner: string, name: string): CacheKey => ({ owner, name: `${key.name}.${name}` })
    const owner = `${key.owner} ${randomUUID()} {a}`
    const others = [`${owner} `, owner.slice(0, -1), `${owner}.other`]
    for (let at = 0; at < 30; at++) {
      const lifetime = at % 3 === 0 ? pinned : long
      await store.set(owned(owner, `${at}`), 'one', lifetime)
    }
    for (const other of others) await store.set(owned(other, '1'), 'other', long)
    assert.equal(await store.deleteOwner(owner), 30)
    for (let at = 0; at < 30; at++) assert.equal(await store.get(owned(owner, `${at}`)), undefined)
    for (const other of others) assert.equal(await store.get(owned(other, '1')), 'other')
    assert.equal(await store.deleteOwner(owner), 0)
    assert.equal(await store.add(owned(owner, '1'), 'again', long), 'added')
    assert.equal(await store.get(owned(owner, '1')), 'again')
    assert.equal(await store.deleteOwner(`${owner} who was never there`), 0)
  }),
  shared('has room again for an owner whose entries were deleted', async (store, key) => {
    if (store.deleteOwner === undefined) return
    const claims = Array.from({ length: share }, (_, index) => ({ ...key, name: `${key.name}.${index}` }))
    for (const claim of claims) assert.equal(await store.add(claim, 'claim', pinned), 'added')
    assert.equal(await store.deleteOwner(key.owner), share)
    for (const claim of claims) assert.equal(await store.add(claim, 'claim', pinned), 'added')
  }),
  shared(
    'evicts the texts of an owner who has more than its share, and of nobody else',
    async (store, key) => {
      const other = { ...key, owner: `${key.owner}.other` }
      await store.set(other, 'other', long)
      const keys = Array.from({ length: 50 }, (_, index) => ({ ...key, name: `${key.name}.${index}` }))
      for (const [index, each] of keys.entries()) {
        if (index % 2 === 0) await store.set(each, `${index}`, long)
        else assert.equal(await store.add(each, `${index}`, long), 'added')
      }
      const stored = await Promise.all(keys.map(async each => store.get(each)))
      assert.equal(stored.filter(text => text !== undefined).length, share)
      assert.equal(stored.at(-1), '49')
      assert.equal(await store.get(other), 'other')
    },
  ),
  shared('does not evict what is pinned, and says where that leaves no room', async (store, key) => {
    const claims = Array.from({ length: share }, (_, index) => ({ ...key, name: `${key.name}.${index}` }))
    const free = { ...key, name: `${key.name}.free` }
    await store.set(free, 'stored', long)
    for (const claim of claims) assert.equal(await store.add(claim, 'claim', pinned), 'added')
    assert.equal(await store.get(free), undefined)
    assert.equal(await store.add(free, 'one more', pinned), 'full')
    assert.equal(await store.add(free, 'one more', long), 'full')
    await store.set(free, 'one more', long)
    assert.equal(await store.get(free), undefined)
    for (const claim of claims) assert.equal(await store.get(claim), 'claim')
    assert.deepEqual(await store.add(claims[0]!, 'other', pinned), { existing: 'claim' })
    const other = { ...key, owner: `${key.owner}.other` }
    assert.equal(await store.add(other, 'of another owner', pinned), 'added')
  }),
  shared('renews a pinned text, stores another in its place and frees it', async (store, key) => {
    const [first, second, third] = [1, 2, 3].map(index => ({ ...key, name: `${key.name}.${index}` }))
    for (const claim of [first!, second!, third!]) await store.add(claim, 'claim', pinned)
    assert.equal(await store.replace(first!, 'claim', 'claim', pinned), true)
    assert.equal(await store.replace(second!, 'claim', 'answer', long), true)
    assert.equal(await store.replace(third!, 'claim', undefined, pinned), true)
    assert.equal(await store.get(second!), 'answer')
    const more = [4, 5].map(index => ({ ...key, name: `${key.name}.${index}` }))
    for (const claim of more) assert.equal(await store.add(claim, 'claim', pinned), 'added')
    assert.equal(await store.get(first!), 'claim')
    assert.equal(await store.get(second!), undefined)
  }),
  shared('forgets a pinned text when its time is over, and has room again', async (store, key) => {
    const claims = Array.from({ length: share }, (_, index) => ({ ...key, name: `${key.name}.${index}` }))
    for (const claim of claims) await store.add(claim, 'claim', { ...short, pinned: true })
    const free = { ...key, name: `${key.name}.free` }
    const deadline = performance.now() + 5_000
    while ((await store.add(free, 'claim', pinned)) === 'full') {
      assert.ok(performance.now() < deadline, 'There is no room although the time of the claims is over.')
      await sleep(5)
    }
    assert.equal(await store.get(free), 'claim')
  }),
]

function over(name: string, body: (store: CacheStore, key: CacheKey) => Promise<void>): CacheStoreCase {
  return { name, run: async make => body(await make({}), { owner: 'case', name: `case:${randomUUID()}` }) }
}

/** Over a store in which an owner has a small share. */
function shared(name: string, body: (store: CacheStore, key: CacheKey) => Promise<void>): CacheStoreCase {
  return {
    name,
    run: async make =>
      body(await make({ maxEntriesPerOwner: share }), { owner: `owner ${randomUUID()}`, name: 'case' }),
  }
}

/** Resolves when nothing is kept any more. */
async function gone(store: CacheStore, key: CacheKey): Promise<void> {
  const deadline = performance.now() + 5_000
  while ((await store.get(key)) !== undefined) {
    assert.ok(performance.now() < deadline, 'The text is there although its time is over.')
    await sleep(5)
  }
}

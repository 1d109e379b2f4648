import { alertStoreConformance, cacheStoreConformance } from '@sluice/testing/conformance'
import { describe, expect, it } from 'vitest'
import { memoryCacheStore } from './memory-cache-store.ts'

const of = (owner: string, name: string) => ({ owner, name })
const long = { ttlMs: 1_000 }
const pinned = { ttlMs: 1_000, pinned: true }

describe('memoryAnswers', () => {
  for (const { name, run } of cacheStoreConformance)
    it(name, () => run(async settings => memoryCacheStore(settings)))
  for (const { name, run } of alertStoreConformance)
    it(`alerts: ${name}`, () => run(async () => memoryCacheStore()))

  it('returns at once', () => {
    const store = memoryCacheStore()
    const key = of('ann', 'a')
    store.set(key, 'one', long)
    expect([store.get(key), store.add(key, 'two', long), store.replace(key, 'one', 'two', long)]).toEqual([
      'one',
      { existing: 'one' },
      true,
    ])
  })

  it('goes by its clock, to the millisecond', () => {
    const clock = { now: 0 }
    const store = memoryCacheStore({ now: () => clock.now })
    const key = of('ann', 'a')
    store.set(key, 'one', { ttlMs: 10 })
    clock.now = 10
    expect(store.get(key)).toBe('one')
    clock.now = 11
    expect(store.get(key)).toBeUndefined()
  })

  it('makes room of the one longest unused, by number and by bytes', () => {
    const few = memoryCacheStore({ maxEntries: 2 })
    for (const name of ['a', 'b']) few.set(of('ann', name), name, long)
    few.get(of('ann', 'a'))
    few.set(of('ann', 'c'), 'c', long)
    expect(['a', 'b', 'c'].map(name => few.get(of('ann', name)))).toEqual(['a', undefined, 'c'])

    const small = memoryCacheStore({ maxBytes: 30 })
    for (const name of ['a', 'b', 'c']) small.set(of(name, name), 'é'.repeat(5), long)
    expect(['a', 'b', 'c'].map(name => small.get(of(name, name))?.length)).toEqual([undefined, 5, 5])
    expect(small.bytes).toBe(22)
    small.set(of('b', 'b'), 'x'.repeat(30), long)
    expect([small.get(of('b', 'b')), small.get(of('c', 'c'))?.length, small.bytes]).toEqual([
      undefined,
      5,
      11,
    ])
  })

  it.each([
    ['number', { maxEntries: 10, maxEntriesPerOwner: 1_000 }],
    ['bytes', { maxBytes: 120 }],
  ])('lets nobody push another below an equal part of a store that is full, by %s', (_, options) => {
    const store = memoryCacheStore(options)
    const textOf = (index: number) => `text ${index}`.padEnd(10)
    for (let index = 0; index < 5; index++) store.set(of('ann', `a${index}`), textOf(index), long)
    for (let index = 0; index < 100; index++) store.set(of('bob', `b${index % 90}`), textOf(index), long)
    for (let index = 0; index < 5; index++) expect(store.get(of('ann', `a${index}`))).toBe(textOf(index))
  })

  it('does not evict what is pinned, whoever needs the room', () => {
    const store = memoryCacheStore({ maxEntries: 3 })
    expect(store.add(of('ann', 'claim'), 'claim', pinned)).toBe('added')
    for (let index = 0; index < 100; index++) store.set(of(`caller ${index}`, 'a'), 'answer', long)
    expect(store.get(of('ann', 'claim'))).toBe('claim')
    expect([1, 2, 3].map(index => store.add(of(`caller ${index}`, 'claim'), 'claim', pinned))).toEqual([
      'added',
      'added',
      'full',
    ])
    store.set(of('bob', 'b'), 'answer', long)
    expect(store.get(of('bob', 'b'))).toBeUndefined()
  })

  it('has room again when the time of what is pinned is over', () => {
    const clock = { now: 0 }
    const store = memoryCacheStore({ maxEntries: 2, now: () => clock.now })
    for (const owner of ['ann', 'bob']) store.add(of(owner, 'claim'), 'claim', pinned)
    expect(store.add(of('cid', 'claim'), 'claim', pinned)).toBe('full')
    clock.now = 1_001
    expect(store.add(of('cid', 'claim'), 'claim', pinned)).toBe('added')
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('takes %s for no time', ttl => {
    const store = memoryCacheStore()
    for (const run of [
      () => store.set(of('ann', 'a'), 'one', { ttlMs: ttl as number }),
      () => store.add(of('ann', 'a'), 'one', { ttlMs: ttl as number }),
    ]) {
      expect(run).toThrow(/ttlMs: got .*, expected milliseconds above 0/)
    }
    expect(store.get(of('ann', 'a'))).toBeUndefined()
  })

  it.each([
    { maxEntries: 0 },
    { maxEntries: 1.5 },
    { maxEntries: 1_000_001 },
    { maxEntriesPerOwner: 0 },
    { maxBytes: 0 },
    { maxBytes: Number.POSITIVE_INFINITY },
    { now: 7 as unknown as () => number },
  ])('does not take the options %j', options => {
    expect(() => memoryCacheStore(options)).toThrow(/got .*, expected/)
    expect(() => memoryCacheStore(options)).toThrow(TypeError)
  })
})

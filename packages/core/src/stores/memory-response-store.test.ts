import { responseStoreConformance } from '@sluice/testing/conformance'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryResponseStore } from './memory-response-store.ts'

const response = (owner: string, id: string, text = 'x', itemIds: readonly string[] = []) => ({
  owner,
  id,
  itemIds,
  text,
})

describe('a response store in memory', () => {
  for (const { name, run } of responseStoreConformance)
    it(name, () => run(async options => memoryResponseStore(options)))

  it('evicts of the owner that has most', () => {
    const store = memoryResponseStore({ maxResponses: 10 })
    store.put(response('small', 'a'))
    for (let at = 0; at < 100; at++) store.put(response('large', `${at}`))
    expect(store.size).toBe(10)
    expect(store.get('small', 'a')).toBe('x')
    expect(store.get('large', '99')).toBe('x')
    expect(store.get('large', '0')).toBeUndefined()
  })

  it('is bounded in bytes, and stores nothing larger', () => {
    const store = memoryResponseStore({ maxBytes: 100 })
    expect(store.put(response('a', 'large', 'x'.repeat(200)))).toBe(false)
    expect(store.size).toBe(0)
    for (let at = 0; at < 20; at++) store.put(response('a', `${at}`, 'x'.repeat(30)))
    expect(store.bytes).toBeLessThanOrEqual(100)
  })

  it('counts what has expired as deleted neither one by one nor by owner', () => {
    let now = 0
    const store = memoryResponseStore({ ttlMs: 10, now: () => now })
    store.put(response('a', '1'))
    store.put(response('a', '2'))
    now = 9
    store.put(response('a', '3'))
    now = 10
    expect(store.delete('a', '1')).toBe(false)
    expect(store.deleteOwner('a')).toBe(1)
    expect([store.size, store.bytes]).toEqual([0, 0])
  })

  it('evicts what has expired first', () => {
    let now = 0
    const store = memoryResponseStore({ maxResponses: 2, ttlMs: 10, now: () => now })
    store.put(response('a', 'old'))
    now = 9
    store.put(response('b', 'new'))
    now = 11
    store.put(response('b', 'newer'))
    expect(store.get('b', 'new')).toBe('x')
    expect(store.size).toBe(2)
  })

  it.each([{ maxResponses: 0 }, { maxBytes: 1.5 }, { ttlMs: -1 }, { now: 1 }, { other: 1 }])(
    'refuses %j',
    options => {
      expect(() => memoryResponseStore(options as object)).toThrow(/memoryResponseStore\(\)/)
    },
  )

  it('is as large as what it has, whatever is done', () => {
    const owners = fc.constantFrom('a', 'b', 'c')
    const ids = fc.constantFrom('1', '2', '3', '4')
    const step = fc.oneof(
      fc.record({
        put: fc.constant(true),
        owner: owners,
        id: ids,
        text: fc.string({ minLength: 1, maxLength: 9 }),
      }),
      fc.record({ put: fc.constant(false), owner: owners, id: ids }),
      fc.record({ all: fc.constant(true), owner: owners }),
    )
    fc.assert(
      fc.property(fc.array(step), steps => {
        const store = memoryResponseStore({ maxResponses: 5, maxBytes: 60 })
        for (const each of steps) {
          if ('all' in each) store.deleteOwner(each.owner)
          else if ('text' in each) store.put(response(each.owner, each.id, each.text, [`i${each.id}`]))
          else store.delete(each.owner, each.id)
        }
        const found = ['a', 'b', 'c'].flatMap(owner =>
          ['1', '2', '3', '4']
            .filter(id => store.get(owner, id) !== undefined)
            .map(id => [owner, id] as const),
        )
        expect(store.size).toBe(found.length)
        for (const [owner, id] of found) expect(store.findItem(owner, `i${id}`)).toBe(store.get(owner, id))
        for (const owner of ['a', 'b', 'c']) store.deleteOwner(owner)
        expect([store.size, store.bytes]).toEqual([0, 0])
      }),
    )
  })
})

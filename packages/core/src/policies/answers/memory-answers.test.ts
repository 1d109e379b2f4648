import { answerStoreConformance } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { memoryAnswers } from './memory-answers.ts'

describe('memoryAnswers', () => {
  for (const { name, run } of answerStoreConformance) it(name, () => run(async () => memoryAnswers()))

  it('answers at once', () => {
    const store = memoryAnswers()
    store.set('a', 'one', 1_000)
    expect([store.get('a'), store.add('a', 'two', 1_000), store.replace('a', 'one', 'two', 1_000)]).toEqual([
      'one',
      'one',
      true,
    ])
  })

  it('goes by its clock, to the millisecond', () => {
    const clock = { now: 0 }
    const store = memoryAnswers({ now: () => clock.now })
    store.set('a', 'one', 10)
    clock.now = 10
    expect(store.get('a')).toBe('one')
    clock.now = 11
    expect(store.get('a')).toBeUndefined()
  })

  it('makes room of the one longest unused, by number and by bytes', () => {
    const few = memoryAnswers({ maxEntries: 2 })
    for (const key of ['a', 'b']) few.set(key, key, 1_000)
    few.get('a')
    few.set('c', 'c', 1_000)
    expect(['a', 'b', 'c'].map(key => few.get(key))).toEqual(['a', undefined, 'c'])

    const small = memoryAnswers({ maxBytes: 30 })
    for (const key of ['a', 'b', 'c']) small.set(key, 'é'.repeat(5), 1_000)
    expect(['a', 'b', 'c'].map(key => small.get(key)?.length)).toEqual([undefined, 5, 5])
    expect(small.bytes).toBe(22)
    small.set('b', 'x'.repeat(30), 1_000)
    expect([small.get('b'), small.get('c')?.length, small.bytes]).toEqual([undefined, 5, 11])
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('takes %s for no time', ttl => {
    const store = memoryAnswers()
    for (const run of [
      () => store.set('a', 'one', ttl as number),
      () => store.add('a', 'one', ttl as number),
    ]) {
      expect(run).toThrow(/ttlMs: got .*, expected milliseconds above 0/)
    }
    expect(store.get('a')).toBeUndefined()
  })

  it.each([
    { maxEntries: 0 },
    { maxEntries: 1.5 },
    { maxEntries: 1_000_001 },
    { maxBytes: 0 },
    { maxBytes: Number.POSITIVE_INFINITY },
    { now: 7 as unknown as () => number },
  ])('does not take the options %j', options => {
    expect(() => memoryAnswers(options)).toThrow(/got .*, expected/)
    expect(() => memoryAnswers(options)).toThrow(TypeError)
  })
})

import { describe, expect, it } from 'vitest'
import type { UsageQuery } from './ledger.ts'
import { checkedUsageQuery } from './usage-query.ts'

describe('checkedUsageQuery', () => {
  it('takes every dimension, each once', () => {
    const by = ['key', 'model', 'provider', 'day', 'tag:team', 'tag:a:b', 'tag: '] as const
    expect(checkedUsageQuery({ by: [...by, 'key', 'tag:team'] })).toEqual({
      by,
      from: undefined,
      to: undefined,
    })
    expect(checkedUsageQuery({ by: [] }).by).toEqual([])
  })

  it('takes moments as numbers and as dates, from the next whole millisecond on, within what is exact', () => {
    expect(checkedUsageQuery({ by: [], from: new Date(5), to: 6.2 })).toMatchObject({ from: 5, to: 7 })
    expect(checkedUsageQuery({ by: [], from: -1e300, to: 1e300 })).toMatchObject({
      from: Number.MIN_SAFE_INTEGER,
      to: Number.MAX_SAFE_INTEGER,
    })
  })

  it.each([
    [undefined, 'by is no list'],
    [{}, 'by is no list'],
    [{ by: 'key' }, 'by is no list'],
    [{ by: ['team'] }, '"team" is no dimension'],
    [{ by: ['tag:'] }, '"tag:" is no dimension'],
    [{ by: [null] }, 'null is no dimension'],
    [
      { by: Array.from({ length: 9 }, (_, index) => `tag:${index}`) },
      'by has 9 dimensions, expected at most 8',
    ],
    [{ by: [], from: Number.NaN }, 'from is NaN'],
    [{ by: [], from: Number.POSITIVE_INFINITY }, 'from is Infinity'],
    [{ by: [], to: new Date(Number.NaN) }, 'to is Invalid Date'],
    [{ by: [], to: '2026-11-21' }, 'to is 2026-11-21'],
    [{ by: [], to: null }, 'to is null'],
  ])('refuses %j', (query, says) => {
    expect(() => checkedUsageQuery(query as UsageQuery)).toThrow(TypeError)
    expect(() => checkedUsageQuery(query as UsageQuery)).toThrow(says)
  })
})

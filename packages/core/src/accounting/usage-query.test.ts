import { describe, expect, it } from 'vitest'
import type { UsageQuery } from '../contracts/ledger.ts'
import { validateUsageQuery } from './usage-query.ts'

const nothing = {
  key: undefined,
  source: undefined,
  user: undefined,
  model: undefined,
  provider: undefined,
  operation: undefined,
  dialect: undefined,
}

describe('checkedUsageQuery', () => {
  it('takes every dimension, each once', () => {
    const by = [
      'key',
      'source',
      'user',
      'model',
      'provider',
      'operation',
      'dialect',
      'day',
      'kind',
      'tag:team',
      'tag:a:b',
      'tag: ',
    ] as const
    for (const some of [by.slice(0, 8), by.slice(-8)]) {
      expect(validateUsageQuery({ by: [...some, some[0]!, some[7]!] })).toEqual({
        by: some,
        from: undefined,
        to: undefined,
        where: { ...nothing, tags: [], kinds: ['request'] },
      })
    }
    expect(validateUsageQuery({ by: [] }).by).toEqual([])
  })

  it('takes moments as numbers and as dates, from the next whole millisecond on, within what is exact', () => {
    expect(validateUsageQuery({ by: [], from: new Date(5), to: 6.2 })).toMatchObject({ from: 5, to: 7 })
    expect(validateUsageQuery({ by: [], from: -1e300, to: 1e300 })).toMatchObject({
      from: Number.MIN_SAFE_INTEGER,
      to: Number.MAX_SAFE_INTEGER,
    })
  })

  it('takes what requests have to match, in text that every database takes', () => {
    expect(
      validateUsageQuery({ by: [], where: { key: 'a\0', tags: { ['__proto__']: '\ud83d', team: '' } } })
        .where,
    ).toEqual({
      ...nothing,
      key: 'a\ufffd',
      tags: [
        ['__proto__', '\ufffd'],
        ['team', ''],
      ],
      kinds: ['request'],
    })
    expect(validateUsageQuery({ by: [], where: {} }).where.tags).toEqual([])
  })

  it('takes one kind or several, each once', () => {
    const kindsOf = (kind: NonNullable<UsageQuery['where']>['kind'] & {}) =>
      validateUsageQuery({ by: [], where: { kind } }).where.kinds
    expect(kindsOf('shadow')).toEqual(['shadow'])
    expect(kindsOf(['shadow', 'request', 'shadow'])).toEqual(['request', 'shadow'])
  })

  it('takes no member that another library has added to every object', () => {
    Object.defineProperty(Object.prototype, 'where', { value: { key: 'eve' }, configurable: true })
    Object.defineProperty(Object.prototype, 'key', { value: 'eve', configurable: true })
    try {
      expect(validateUsageQuery({ by: [] }).where.key).toBeUndefined()
      expect(validateUsageQuery({ by: [], where: {} }).where.key).toBeUndefined()
    } finally {
      Reflect.deleteProperty(Object.prototype, 'where')
      Reflect.deleteProperty(Object.prototype, 'key')
    }
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
    [{ by: [], wher: {} }, 'a query has no "wher", expected by, from, to, where'],
    [{ by: [], where: null }, 'where is null, expected a plain object'],
    [
      { by: [], where: { kind: 'unused' } },
      'where.kind has "unused", expected "request", "hedge", "shadow", "timeout", or a list',
    ],
    [{ by: [], where: { kind: [] } }, 'where.kind has an empty list'],
    [{ by: [], where: { kind: ['hedge', null] } }, 'where.kind has null'],
    [{ by: [], where: { kind: undefined } }, 'where.kind has undefined'],
    [{ by: [], where: 'ann' }, 'where is a string'],
    [{ by: [], where: ['ann'] }, 'where is a list'],
    [{ by: [], where: new Map([['key', 'ann']]) }, 'where is an object of another kind'],
    [
      { by: [], where: { team: 'x' } },
      'where has no "team", expected key, source, user, model, provider, operation, dialect, tags, kind. A tag',
    ],
    [{ by: [], where: { 'tag:team': 'x' } }, 'where has no "tag:team"'],
    [{ by: [], where: { key: undefined } }, 'where.key is undefined, expected a text. Leave out'],
    [{ by: [], where: { user: undefined } }, 'where.user is undefined, expected a text. Leave out'],
    [
      { by: [], where: { operation: 'chat' } },
      'where.operation is "chat", expected one of "generate", "embed", "countTokens", "rerank"',
    ],
    [{ by: [], where: { operation: undefined } }, 'where.operation is undefined'],
    [{ by: [], where: { operation: ['embed'] } }, 'where.operation is a list'],
    [{ by: [], where: { model: null } }, 'where.model is null, expected a text'],
    [{ by: [], where: { provider: ['x'] } }, 'where.provider is a list'],
    [{ by: [], where: { tags: undefined } }, 'where.tags is undefined, expected a plain object'],
    [{ by: [], where: { tags: [] } }, 'where.tags is a list'],
    [{ by: [], where: { tags: new Date(0) } }, 'where.tags is an object of another kind'],
    [{ by: [], where: { tags: { team: 7 } } }, 'the value of where.tags["team"] is a number'],
    [{ by: [], where: { tags: { team: undefined } } }, 'where.tags["team"] is undefined'],
    [
      { by: [], where: { tags: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [n, ''])) } },
      'where.tags has 9 tags, expected at most 8',
    ],
  ])('refuses %j', (query, says) => {
    expect(() => validateUsageQuery(query as UsageQuery)).toThrow(TypeError)
    expect(() => validateUsageQuery(query as UsageQuery)).toThrow(says)
  })
})

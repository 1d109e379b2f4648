import { describe, expect, it } from 'vitest'
import { BoundedNames, Labels } from './labels.ts'

describe('BoundedNames', () => {
  it('knows so many, and goes on knowing those', () => {
    const names = new BoundedNames(2)
    expect(['a', 'b', 'c', 'a', 'd'].map(name => names.of(name))).toEqual(['a', 'b', '_OTHER', 'a', '_OTHER'])
  })

  it('cuts long ones', () => {
    expect(new BoundedNames().of('x'.repeat(10_000))).toHaveLength(200)
  })
})

describe('Labels', () => {
  it('have no more values than they may, whatever callers make up', () => {
    const labels = new Labels(['team'])
    const seen = (of: (n: number) => unknown) => new Set(Array.from({ length: 2_000 }, (_, n) => of(n))).size
    expect(seen(n => labels.model(`acme/${n}`, true))).toBe(501)
    expect(seen(n => labels.tags({ id: 'a', tags: { team: `${n}` } })['sluice.tag.team'])).toBe(501)
  })

  it('never replace names that the route lists', () => {
    const labels = new Labels([])
    for (let n = 0; n < 500; n++) labels.model(`any/${n}`, true)
    expect([labels.model('big', false), labels.model('any/new', true)]).toEqual(['big', '_OTHER'])
    for (let n = 0; n < 500; n++) labels.provider(`p${n}`, true)
    expect([labels.provider('acme', false), labels.provider('new', true)]).toEqual(['acme', '_OTHER'])
  })

  it('do not count names for which no upstream was called', () => {
    const labels = new Labels([])
    for (let n = 0; n < 600; n++) expect(labels.model(`any/${n}`, true, false)).toBe('_OTHER')
    expect([labels.model('any/real', true), labels.model('any/real', true, false)]).toEqual([
      'any/real',
      'any/real',
    ])
  })

  it('tell the tags that are named, where the principal has them', () => {
    const labels = new Labels(['team', 'toString'])
    expect(labels.tags({ id: 'a', tags: { team: 'search', other: 'x' } })).toEqual({
      'sluice.tag.team': 'search',
    })
    expect(labels.tags({ id: 'a' })).toEqual({})
    expect(labels.tags(undefined)).toEqual({})
  })

  it.each([
    ['bedrock', 'aws.bedrock'],
    ['vertex', 'gcp.vertex_ai'],
    ['openai', 'openai'],
    ['acme', 'acme'],
  ])('name %s as the conventions do', (provider, told) => {
    expect(new Labels([]).provider(provider, false)).toBe(told)
  })
})

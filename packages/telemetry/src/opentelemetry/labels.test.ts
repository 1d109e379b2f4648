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
    expect(seen(n => labels.model(`acme/${n}`))).toBe(501)
    expect(seen(n => labels.tags({ id: 'a', tags: { team: `${n}` } })['sluice.tag.team'])).toBe(501)
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
    expect(new Labels([]).provider(provider)).toBe(told)
  })
})

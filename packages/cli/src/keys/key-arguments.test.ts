import { describe, expect, it } from 'vitest'
import { limitOf, tagsOf } from './key-arguments.ts'

describe('limitOf', () => {
  it.each([
    ['requests:60/minute', { kind: 'requests', limit: 60, per: 'minute' }],
    ['tokens:100000/day', { kind: 'tokens', limit: 100_000, per: 'day' }],
    ['concurrent:4', { kind: 'concurrent', limit: 4 }],
    ['budget:2.5usd/month', { kind: 'budget', limit: 2.5, currency: 'usd', per: 'month' }],
  ])('reads %s', (text, rule) => {
    expect(limitOf(text)).toEqual(rule)
  })

  it.each([
    '',
    'requests',
    'requests:60',
    'requests:0/minute',
    'requests:1.5/minute',
    'requests:60/month',
    'requests:60usd/minute',
    'budget:5/month',
    'concurrent:4/minute',
    'request:60/minute',
    'requests:-1/minute',
  ])('refuses %j, and shows what is expected', text => {
    expect(() => limitOf(text)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('expected requests:60/minute'),
        exitCode: 2,
      }),
    )
  })
})

describe('tagsOf', () => {
  it('reads names and values, of which the value may be anything', () => {
    expect(tagsOf(['team=search', 'query=a=b', 'none='])).toEqual({ team: 'search', query: 'a=b', none: '' })
  })

  it.each([[['team']], [['=x']], [['team=a', 'team=b']]])('refuses %j', texts => {
    expect(() => tagsOf(texts)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })
})

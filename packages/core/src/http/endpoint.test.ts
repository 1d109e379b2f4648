import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { belowBase, dialectAbove, endpointOf, pathOf } from './endpoint.ts'

describe('pathOf', () => {
  it.each([
    ['http://h/v1/models?x=1', '/v1/models'],
    ['http://h', '/'],
    ['http://h/a#b', '/a'],
    ['http://h//evil/v1', '//evil/v1'],
  ])('%s has %s', (url, path) => {
    expect(pathOf(url)).toBe(path)
  })

  it('agrees with URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), url => {
        const { href, pathname } = new URL(url)
        expect(pathOf(href)).toBe(pathname)
      }),
    )
  })
})

describe('belowBase', () => {
  it.each([
    ['/v1/models', '', '/v1', '/models'],
    ['/v1', '', '/v1', ''],
    ['/v1x/models', '', '/v1', undefined],
    ['/models', '', '/v1', undefined],
    ['/api/ai/v1/models', '/api/ai', '/v1', '/models'],
    ['/api/ai/models', '/api/ai', '/v1', undefined],
    ['/v1/models', '/v1', '/v1', '/models'],
    ['/api/v1/models', '/api/v1', '/v1', '/models'],
    ['/api/v1/v1/models', '/api/v1', '/v1', '/models'],
    ['/other/v1/models', '/api', '/v1', undefined],
  ])('%s under %s with %s is %s', (path, mount, base, below) => {
    expect(belowBase(path, mount, base)).toBe(below)
  })
})

describe('endpointOf', () => {
  it.each([
    ['/chat/completions', { name: 'dialect', dialect: chatDialect }],
    ['//chat/completions', { name: 'dialect', dialect: chatDialect }],
    ['/models', { name: 'models' }],
    ['/models/vendor/x', { name: 'model', id: 'vendor/x' }],
    ['/models/vendor%2Fx', { name: 'model', id: 'vendor/x' }],
    ['/models/a:b', { name: 'model', id: 'a:b' }],
    ['/models/%zz', { name: 'unknown' }],
    ['/chat/completions/x', { name: 'unknown' }],
    ['', { name: 'unknown' }],
  ])('%s', (below, endpoint) => {
    expect(endpointOf(below, [chatDialect])).toEqual(endpoint)
  })
})

it('finds the dialect above a path after a second slash too', () => {
  for (const below of ['/chat/completions', '/chat/completions/batches']) {
    for (const slashes of ['/', '//', '///']) {
      const url = `http://host/v1${slashes}${below.slice(1)}`
      expect(dialectAbove(url, '', '/v1', [chatDialect])).toBe(chatDialect)
    }
  }
  expect(dialectAbove('http://host/v1/chat', '', '/v1', [chatDialect])).toBeUndefined()
})

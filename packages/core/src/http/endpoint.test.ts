import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../contracts/dialect.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { belowBase, endpointOf, errorDialect, pathOf } from './endpoint.ts'

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

describe('errorDialect', () => {
  const asked = (url: string, headers: Record<string, string> = {}) => new Request(url, { headers })
  const other: Dialect = {
    ...chatDialect,
    name: 'other',
    path: '/other',
    models: {
      accepts: headers => headers.get('x-other') !== null,
      list: () => ({}),
      show: () => ({}),
    },
  }

  it('finds the dialect above a path after a second slash too', () => {
    for (const below of ['/chat/completions', '/chat/completions/batches']) {
      for (const slashes of ['/', '//', '///']) {
        const url = `http://host/v1${slashes}${below.slice(1)}`
        expect(errorDialect(asked(url), '', '/v1', [chatDialect])).toBe(chatDialect)
      }
    }
    expect(errorDialect(asked('http://host/v1/chat'), '', '/v1', [chatDialect])).toBeUndefined()
  })

  it.each(['/models', '/models/', '/models?limit=1', '/models/a', '//models/a/b'])(
    'of %s is the one that accepts the request',
    path => {
      const url = `http://host/v1${path}`
      const dialects = [chatDialect, other]
      expect(errorDialect(asked(url, { 'x-other': '1' }), '', '/v1', dialects)).toBe(other)
      expect(errorDialect(asked(url), '', '/v1', dialects)).toBeUndefined()
      expect(errorDialect(asked(url, { 'x-other': '1' }), '', '/v1', [chatDialect])).toBeUndefined()
    },
  )

  it('of other paths does not depend on headers', () => {
    for (const path of ['/modelsx', '/unknown']) {
      const request = asked(`http://host/v1${path}`, { 'x-other': '1' })
      expect(errorDialect(request, '', '/v1', [chatDialect, other])).toBeUndefined()
    }
    const request = asked('http://host/v1/chat/completions', { 'x-other': '1' })
    expect(errorDialect(request, '', '/v1', [other, chatDialect])).toBe(chatDialect)
  })
})

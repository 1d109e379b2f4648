import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedRequest } from './malformed-request.ts'
import { createRequestUrl, originForm, requestUrl } from './url.ts'

const url = (target: string, host: string | undefined = 'here.example') => requestUrl('http', host, target)

describe('requestUrl', () => {
  it('puts the target behind the origin', () => {
    expect(url('/v1/chat/completions?a=1&b')).toBe('http://here.example/v1/chat/completions?a=1&b')
    expect(url('/v1/models/a%2Fb')).toBe('http://here.example/v1/models/a%2Fb')
    expect(requestUrl('https', 'Here.Example:8443', '/')).toBe('https://here.example:8443/')
    expect(requestUrl('https', 'here.example:443', '/')).toBe('https://here.example/')
    expect(requestUrl('http', '[::1]:80', '/x')).toBe('http://[::1]/x')
    expect(url('/', undefined)).toBe('http://here.example/')
  })

  it.each([
    ['//evil.example/v1/models', '//evil.example/v1/models'],
    ['/@evil.example/v1', '/@evil.example/v1'],
    ['http://evil.example/v1/models', '/v1/models'],
    ['HTTPS://user@evil.example:1/v1/models', '/v1/models'],
    ['http://evil.example', '/'],
    ['http://evil.example?x=1', '/'],
    ['/v1/%00', '/v1/%00'],
    ['/v1/..;/...', '/v1/..;/...'],
    ['/v1/models?a=../\\', '/v1/models'],
  ])('%s does not choose the host', (target, pathname) => {
    const { host, pathname: seen } = new URL(url(target))
    expect([host, seen]).toEqual(['here.example', pathname])
  })

  it.each([
    '/\\evil.example/v1/models',
    '/v1\\models',
    '/a/../v1/models',
    '/a/%2e%2E/v1/models',
    '/v1/./models',
    '/v1/models/.',
    'http://evil.example/../v1/models',
    '/v1/models#a',
    '/v1/models?a#b',
  ])('refuses the target %j, which a URL reads as another path', target => {
    expect(() => url(target)).toThrow(MalformedRequest)
  })

  it.each(['*', 'evil.example:443', '', 'ftp://evil.example/', 'v1/models'])(
    'refuses the target %j',
    target => {
      expect(() => url(target)).toThrow(MalformedRequest)
    },
  )

  it.each([
    '',
    'a b',
    'a/b',
    'a@b',
    'a,b',
    'a?b',
    'a#b',
    'a\\b',
    'a:port',
    'a:99999',
    '[::1',
    '[zz]',
    'a%2fb',
    'ä.example',
    '999.999.999.999',
  ])('refuses the host %j', host => {
    expect(() => url('/', host)).toThrow(MalformedRequest)
  })

  it('refuses a scheme that is not HTTP', () => {
    expect(() => requestUrl('javascript', 'here.example', '/')).toThrow(MalformedRequest)
  })

  it('spells every path as a native Request does, or refuses it where that moves or cuts it', () => {
    const pieces = fc.constantFrom(
      ...[
        '/',
        '//',
        '.',
        '..',
        '%2e',
        '%2F',
        '%',
        'a',
        'v1',
        '?',
        '#',
        '\\',
        ' ',
        "'",
        '"',
        '<',
        '|',
        '^',
        '`',
        '{',
        'ü',
        '@',
        ':',
        ';',
      ],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
        // A URL takes off spaces at its end, where none can stand on the wire.
        const path = `/${parts.join('').trimEnd()}`
        const native = new Request(`http://here.example${path}`).url
        const segments = (text: string) => text.split('?', 1)[0]!.split('/').length
        let own: string | undefined
        try {
          own = url(path)
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedRequest)
          expect(path).toMatch(/[#\\]|\/(?:\.|%2e){1,2}(?:[/?]|$)/)
          return
        }
        expect(own).toBe(native)
        expect(segments(own)).toBe(segments(`http://here.example${path}`))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('originForm', () => {
  it('leaves a path as it is', () => {
    expect(originForm('//x/y?z')).toBe('//x/y?z')
  })
})

describe('createRequestUrl', () => {
  const result = (call: () => string): string => {
    try {
      return call()
    } catch (error) {
      return String(error)
    }
  }

  it('returns for every sequence of requests what requestUrl returns', () => {
    const request = fc.tuple(
      fc.constantFrom('http', 'https', 'ftp'),
      fc.constantFrom(undefined, 'localhost', 'a.example', 'A.example', 'a.example:443', 'a b', ''),
      fc.constantFrom(
        '/',
        '/v1/models',
        '/v1/chat/completions',
        '//b.example/v1',
        'http://b.example/v1',
        '/..',
        '*',
      ),
    )
    fc.assert(
      fc.property(fc.array(request, { maxLength: 20 }), requests => {
        const urlOf = createRequestUrl()
        for (const [protocol, host, target] of requests) {
          expect(result(() => urlOf(protocol, host, target))).toBe(
            result(() => requestUrl(protocol, host, target)),
          )
        }
      }),
    )
  })
})

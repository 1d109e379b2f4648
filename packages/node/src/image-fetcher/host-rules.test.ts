import { ConfigurationError } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bareHost, hostRule, isAllowed } from './host-rules.ts'

const allows = (patterns: readonly string[], url: string): boolean => {
  const { hostname, port } = new URL(url)
  return isAllowed(patterns.map(hostRule), bareHost(hostname), Number(port || 443))
}

describe('a pattern', () => {
  it.each([
    ['images.example.com', 'https://images.example.com/a'],
    ['images.example.com', 'https://IMAGES.example.com./a'],
    ['Images.Example.COM.', 'https://images.example.com/a'],
    ['images.example.com:443', 'https://images.example.com/a'],
    ['images.example.com:8443', 'https://images.example.com:8443/a'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['xn--bcher-kva.example', 'https://BÜCHER.example/'],
    ['*.cdn.example', 'https://a.cdn.example/'],
    ['*.cdn.example', 'https://a.b.cdn.example./'],
    ['*.cdn.example:8443', 'https://a.cdn.example:8443/'],
    ['*', 'https://anything.example/'],
    ['*', 'https://1.1.1.1/'],
    ['*:8443', 'https://anything.example:8443/'],
    ['1.1.1.1', 'https://0x01.1.1.1/'],
    ['[2606:4700::1111]', 'https://[2606:4700:0:0:0:0:0:1111]/'],
    ['[2606:4700::1111]:8443', 'https://[2606:4700::1111]:8443/'],
    ['my_images.example', 'https://my_images.example/'],
  ])('%s allows %s', (pattern, url) => {
    expect(allows([pattern], url)).toBe(true)
  })

  it.each([
    ['images.example.com', 'https://example.com/'],
    ['images.example.com', 'https://a.images.example.com/'],
    ['images.example.com', 'https://images.example.com.evil.example/'],
    ['images.example.com', 'https://imagesaexample.com/'],
    ['images.example.com', 'https://images.example.com:8443/'],
    ['images.example.com:8443', 'https://images.example.com/'],
    ['*.cdn.example', 'https://cdn.example/'],
    ['*.cdn.example', 'https://evilcdn.example/'],
    ['*.cdn.example', 'https://a.cdn.example.evil.example/'],
    ['*.cdn.example', 'https://a.cdn.example:8443/'],
    ['*', 'https://anything.example:8443/'],
    ['*:8443', 'https://anything.example/'],
    ['1.1.1.1', 'https://1.1.1.2/'],
  ])('%s does not allow %s', (pattern, url) => {
    expect(allows([pattern], url)).toBe(false)
  })

  it.each([
    ...[
      '',
      ' ',
      '.',
      '*.',
      '**',
      '*.*',
      '*example.com',
      'a.*.example',
      '*.*.example',
      'a*',
      '?',
      'a b.example',
    ],
    ...[
      'https://images.example.com',
      'images.example.com/',
      'images.example.com/a',
      'ann@images.example.com',
    ],
    ...['images.example.com:', 'images.example.com:0', 'images.example.com:65536', 'images.example.com:x'],
    ...[
      'images..example.com',
      'images.example.com..',
      '-a.example',
      `${'a'.repeat(64)}.example`,
      'a%2eexample',
    ],
    ...[
      '2606:4700::1111',
      '[2606:4700::1111',
      '[::g]',
      '[]',
      '*.1.1.1.1',
      '*.[2606:4700::1111]',
      '1.1.1.256',
    ],
    ...['#a', 'a\nb', 'a\\b'],
    ...[undefined, null, 7, ['a.example'], /a/],
  ])('%s is none', pattern => {
    const parse = () => hostRule(pattern, 3)
    expect(parse).toThrow(ConfigurationError)
    expect(parse).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: ['hosts', 3] })] }),
    )
    expect(parse).toThrow(/^imageFetcher\(\): hosts\[3\]: got .*, expected 'images.example.com'/s)
  })

  it.each(['127.0.0.1', '10.1.2.3', '0x7f.1', '[::1]', '[::ffff:1.1.1.1]', '169.254.169.254'])(
    '%s can never be asked',
    pattern => {
      expect(() => hostRule(pattern)).toThrow('this is not a public address')
    },
  )
})

it('a name is allowed by its suffix only at a dot', () => {
  const label = fc.stringMatching(/^[a-z\d]{1,5}$/)
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), label, (labels, other) => {
      const name = `x${labels.join('.y')}.example`
      const rules = [hostRule(`*.${name}`)]
      expect(isAllowed(rules, `${other}.${name}`, 443)).toBe(true)
      expect(isAllowed(rules, `${other}${name}`, 443)).toBe(false)
      expect(isAllowed(rules, `${name}.${other}`, 443)).toBe(false)
      expect(isAllowed(rules, name, 443)).toBe(false)
    }),
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matches } from './matches.ts'
import { readPattern } from './pattern.ts'
import { writeText } from './write-text.ts'

const sources = [
  '^[a-z]+$',
  'a|bc|d*',
  '^(?:ab?){2,3}c$',
  '\\d{2}-\\w*',
  '^[^a-c\\d]$',
  '^$',
  '',
  '.',
  '^a.c$',
  '(a|b)+?c',
  '[]a]',
  '[\\]a-]',
  '\\u0061\\x62',
  '^\\S+@\\S+$',
  '(?<year>\\d{4})',
  '\\.',
  'a{0}b',
  '^[\\w.-]{1,3}$',
  '(^a|b$)',
  '\\/',
].filter(source => source !== '[]a]')

describe('matches', () => {
  it('agrees with the engine on every pattern that it reads', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.string({ unit: fc.constantFrom(...'abcd12-@. \n/😀'), maxLength: 8 }),
        (source, text) => {
          expect(matches(readPattern(source)!, text, () => {})).toBe(new RegExp(source, 'u').test(text))
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('takes steps in proportion to the text where an engine takes exponential time', () => {
    let steps = 0
    const pattern = readPattern('^(a+)+$')!
    expect(
      matches(pattern, `${'a'.repeat(200)}!`, more => {
        steps += more
      }),
    ).toBe(false)
    expect(steps).toBeLessThan(200_000)
  })
})

describe('readPattern', () => {
  it('leaves alone what it does not know', () => {
    for (const source of [
      '(?=a)',
      '(?!a)',
      '(?<=a)b',
      '(a)\\1',
      '\\bx',
      '\\p{L}',
      'a**',
      'a{2',
      '(',
      ')',
      '[',
      '[z-a]',
      'a{3,2}',
      '*',
      `a${'b'.repeat(1_000)}`,
      '('.repeat(30) + ')'.repeat(30),
    ]) {
      expect(readPattern(source), source).toBeUndefined()
    }
  })
})

describe('writeText', () => {
  it('writes what the pattern says', () => {
    expect(writeText(readPattern('^[A-Z]{2}-\\d+$')!, { extra: 2, salt: 0 }, 100)).toBe('AA-000')
    expect(writeText(readPattern('x|y')!, { extra: 0, salt: 1 }, 100)).toBe('y')
  })

  it('stays near its limit', () => {
    expect(
      writeText(readPattern('(?:(?:a{1000}){1000}){1000}')!, { extra: 0, salt: 0 }, 50).length,
    ).toBeLessThan(3_000)
  })
})

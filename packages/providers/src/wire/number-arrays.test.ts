import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countNumbers, type NumberArrays, parseNumberArrays } from './number-arrays.ts'

/** The whole value, with its arrays parsed after all. */
function restored({ value, arrayOf }: NumberArrays): unknown {
  const array = arrayOf(value)
  if (array !== undefined) {
    const numbers = JSON.parse(array) as unknown[]
    expect(numbers).toHaveLength(countNumbers(array))
    return numbers
  }
  const of = (member: unknown) => restored({ value: member, arrayOf })
  if (Array.isArray(value)) return value.map(of)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, of(member)]))
}

const spaces = ['', ' ', '\n', '\t\r\n  ']

describe('parseNumberArrays', () => {
  it('leaves each array of numbers as its text', () => {
    const { value, arrayOf } = parseNumberArrays('{"a": [ 1, -2.5e-7,0 ], "b": [[1],[2,3]], "c": []}')
    const { a, b, c } = value as { a: unknown; b: unknown[]; c: unknown }
    expect(arrayOf(a)).toBe('[ 1, -2.5e-7,0 ]')
    expect(b.map(arrayOf)).toEqual(['[1]', '[2,3]'])
    expect([c, arrayOf(c), arrayOf(b), arrayOf('[0]')]).toEqual([[], undefined, undefined, undefined])
  })

  it('keeps digits that a double would round', () => {
    const { value, arrayOf } = parseNumberArrays('[0.12345678901234567890,1E+2]')
    expect(arrayOf(value)).toBe('[0.12345678901234567890,1E+2]')
  })

  it('leaves arrays of other things, and brackets in strings, alone', () => {
    const text = '{"[1,2]":"[3]\\"[4]","mixed":[1,"2",[5]],"nulls":[null],"objects":[{"x":1}]}'
    const parsed = parseNumberArrays(text)
    expect(restored(parsed)).toEqual(JSON.parse(text))
  })

  it.each([
    '[NaN]',
    '[1,Infinity]',
    '[01]',
    '[1.]',
    '[.5]',
    '[+1]',
    '[1e]',
    '[-]',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1',
    '[1,2]]',
    '"[1,2]',
    '',
  ])('throws for %s', text => {
    expect(() => parseNumberArrays(text)).toThrow(SyntaxError)
  })

  it('takes arrays of any length', () => {
    for (const length of [1, 511, 512, 513, 1_024, 1_025, 300_000]) {
      const text = JSON.stringify(Array.from({ length }, (_, at) => at - 0.5))
      const { value, arrayOf } = parseNumberArrays(text)
      expect(arrayOf(value) === text).toBe(true)
      expect(countNumbers(text)).toBe(length)
      expect(() => parseNumberArrays(`${text.slice(0, -1)},]`)).toThrow(SyntaxError)
    }
  })

  it('throws for arrays that nest without end', () => {
    expect(() => parseNumberArrays('['.repeat(100_000))).toThrow('nests without end')
  })

  it('gives the value that JSON.parse gives, for any JSON', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }))),
    )
    fc.assert(
      fc.property(value, fc.constantFrom(...spaces), (made, space) => {
        const text = JSON.stringify(made, undefined, space)
        expect(restored(parseNumberArrays(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('takes what JSON.parse takes, and nothing else', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      ',',
      '-',
      '+',
      '.',
      '0',
      '1',
      '23',
      'e',
      'E',
      ' ',
      '"',
      '\\',
      '{',
      '}',
      ':',
      'null',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          expect(() => parseNumberArrays(text)).toThrow(SyntaxError)
          return
        }
        expect(restored(parseNumberArrays(text))).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

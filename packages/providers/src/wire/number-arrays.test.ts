import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NumberArrays, parseNumberArrays } from './number-arrays.ts'

/** The whole value, with its arrays parsed after all. */
function restored({ value, arrayOf }: NumberArrays): unknown {
  const array = arrayOf(value)
  if (array !== undefined) {
    const numbers = JSON.parse(array.text) as unknown[]
    expect(numbers).toHaveLength(array.length)
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
    expect(arrayOf(a)).toEqual({ text: '[ 1, -2.5e-7,0 ]', length: 3 })
    expect(b.map(arrayOf)).toEqual([
      { text: '[1]', length: 1 },
      { text: '[2,3]', length: 2 },
    ])
    expect([c, arrayOf(c), arrayOf(b), arrayOf('[0]')]).toEqual([[], undefined, undefined, undefined])
  })

  it('keeps digits that a double would round', () => {
    const { value, arrayOf } = parseNumberArrays('[0.12345678901234567890,1E+2]')
    expect(arrayOf(value)?.text).toBe('[0.12345678901234567890,1E+2]')
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

import { UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

const arrays = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth)
const kindOf = (text: string) => {
  try {
    parseJson(text)
  } catch (error) {
    return UpstreamError.is(error) ? error.kind : String(error)
  }
  return undefined
}

describe('parseJson', () => {
  it('takes 512 levels and no more', () => {
    expect(parseJson(arrays(512))).toEqual(JSON.parse(arrays(512)))
    expect(parseJson(arrays(512, '"text"'))).toEqual(JSON.parse(arrays(512, '"text"')))
    expect(kindOf(arrays(513))).toBe('garbled')
    expect(kindOf('{"a":'.repeat(200_000) + 1 + '}'.repeat(200_000))).toBe('garbled')
  })

  it('counts levels, not brackets', () => {
    const many = `[${Array.from({ length: 2_000 }, () => '[{}]').join()}]`
    expect(kindOf(many)).toBeUndefined()
  })

  it('sees where a string ends', () => {
    for (const string of ['['.repeat(2_000), '"['.repeat(2_000), '\\"['.repeat(2_000), '\\']) {
      const text = JSON.stringify([string, '{'.repeat(1_000)])
      expect(parseJson(text)).toEqual(JSON.parse(text))
      expect(kindOf(arrays(513, JSON.stringify(string)))).toBe('garbled')
    }
  })

  it('leaves what is no JSON to the parser', () => {
    for (const text of ['', 'x'.repeat(2_000), `["${'['.repeat(2_000)}`]) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    }
  })
})

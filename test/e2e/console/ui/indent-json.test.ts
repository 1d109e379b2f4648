import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indentJson } from '../../../../packages/console/ui/format/indent-json.ts'

const all = Number.POSITIVE_INFINITY

describe('JSON that is indented', () => {
  it('looks as JSON.stringify indents it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        const expected = JSON.stringify(value, undefined, 2)
        expect(indentJson(JSON.stringify(value), all)).toBe(expected)
        expect(indentJson(` ${JSON.stringify(value, undefined, '\t')}\n`, all)).toBe(expected)
      }),
    )
  })

  it('keeps numbers, names and escapes that JSON.parse would change', () => {
    const given = '{"id":12345678901234567890,"a":1.0,"a":1e400,"text":"\\u0041 \\" } ["}'
    expect(indentJson(given, all)).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": 1.0,\n  "a": 1e400,\n  "text": "\\u0041 \\" } ["\n}',
    )
  })

  it.each(['', 'data: {}', '{"a":', '{a:1}', `${'['.repeat(65)}${']'.repeat(65)}`])('is not %j', text => {
    expect(indentJson(text, all)).toBeUndefined()
  })

  it('ends soon after the longest text that is shown', () => {
    const text = indentJson(JSON.stringify(Array(100_000).fill(1)), 1_000)
    expect(text?.startsWith('[\n  1,\n  1')).toBe(true)
    expect(text?.length).toBeLessThan(1_010)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { truncateJson } from './content.ts'

const members = [{ a: 1 }, { b: 22 }, { c: 333 }]

describe('boundedJson', () => {
  it('is the whole list where it fits, to the byte', () => {
    const text = JSON.stringify(members)
    expect(truncateJson(members, 'first', text.length)).toEqual({ text, truncated: false })
    expect(truncateJson(members, 'first', text.length - 1)).toEqual({
      text: '[{"a":1},{"b":22}]',
      truncated: true,
    })
  })

  it('keeps the beginning or the end', () => {
    expect(truncateJson(members, 'last', 22)).toEqual({ text: '[{"b":22},{"c":333}]', truncated: true })
    expect(truncateJson(members, 'first', 3)).toEqual({ text: '[]', truncated: true })
    expect(truncateJson([], 'last')).toEqual({ text: '[]', truncated: false })
  })

  it('is always JSON within its bytes, and never passes over one for another', () => {
    const list = fc.array(fc.record({ content: fc.string({ unit: 'grapheme', maxLength: 20 }) }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(
        list,
        fc.constantFrom('first' as const, 'last' as const),
        fc.integer({ min: 2, max: 200 }),
        (given, kept, most) => {
          const { text, truncated } = truncateJson(given, kept, most)
          const left = JSON.parse(text) as unknown[]
          expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(most)
          expect(truncated).toBe(left.length < given.length)
          expect(left).toEqual(
            kept === 'first' ? given.slice(0, left.length) : given.slice(given.length - left.length),
          )
        },
      ),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArgumentsReader } from './arguments-reader.ts'

describe('ArgumentsReader', () => {
  it('finds the end of any object, whatever its pieces', () => {
    const pieces = fc.array(fc.nat({ max: 20 }))
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), pieces, (object, sizes) => {
        const text = JSON.stringify(object)
        const reader = new ArgumentsReader()
        let at = 0
        for (const size of [...sizes, text.length]) {
          const piece = text.slice(at, at + size)
          at += piece.length
          expect(reader.push(piece)).toBe(piece.length)
          expect(reader.ended).toBe(at === text.length)
        }
      }),
    )
  })

  it('takes no more than the object', () => {
    const reader = new ArgumentsReader()
    expect(reader.push(' {"a":"}\\""} {"b":1}')).toBe(' {"a":"}\\""}'.length)
    expect(reader.ended).toBe(true)
    expect(reader.push('{}')).toBe(0)
  })
})

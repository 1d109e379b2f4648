import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

/** The same value with the members of each object in another order. */
function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(turned)
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, turned(member)])
      .reverse(),
  )
}

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x"'], 1: { d: 0, c: -0 } }, '{"1":{"c":0,"d":0},"a":[true,null,"x\\""],"b":1}'],
    [{ a: undefined, b: [] }, '{"b":[]}'],
    [[[], {}, ''], '[[],{},""]'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ])('writes %j in one way', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('does not mind the order of members, and loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        const text = canonicalJson(value)
        expect(canonicalJson(turned(value))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('tells any two values apart', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        const same = JSON.stringify(turned(turned(one))) === JSON.stringify(turned(turned(other)))
        if (same) expect(canonicalJson(one)).toBe(canonicalJson(other))
        if (canonicalJson(one) === canonicalJson(other)) {
          expect(JSON.parse(JSON.stringify(one))).toEqual(JSON.parse(JSON.stringify(other)))
        }
      }),
    )
  })
})

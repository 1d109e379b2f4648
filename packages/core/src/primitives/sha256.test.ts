import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { canonicalJson, digestOf, sha256Of } from './sha256.ts'

const byRuntime = sha256Of(process)
const portable = sha256Of(undefined)

describe('sha256Of', () => {
  it('is the same by the runtime and without it, for any text and any bytes', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
    )
    fc.assert(
      fc.property(anything, data => {
        const expected = createHash('sha256').update(data).digest('hex')
        expect(byRuntime(data)).toBe(expected)
        expect(portable(data)).toBe(expected)
      }),
    )
  })

  it('takes half a surrogate pair as U+FFFD', () => {
    for (const sha256 of [byRuntime, portable]) expect(sha256('a\ud800')).toBe(sha256('a\ufffd'))
  })

  it('does without where the runtime has no such function', () => {
    for (const modules of [{}, { getBuiltinModule: () => undefined }, { getBuiltinModule: () => ({}) }]) {
      expect(sha256Of(modules)('abc')).toBe(portable('abc'))
    }
  })
})

const text = fc.string({ unit: fc.constantFrom('1', ':', '"', 'é', '😀', '\ud800', '\ud801'), maxLength: 3 })

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('digestOf', () => {
  it('is the SHA-256 of the values as JSON behind their lengths', async () => {
    const told = createHash('sha256').update('4:"é!"').update('13:{"a":1,"b":2}').digest('hex')
    expect(await digestOf('é!', { b: 2, a: 1 })).toBe(told)
  })

  it.each([32_760, 32_768, 1_000_000])(
    'is the same for %i bytes, with Web Crypto and without',
    async length => {
      const long = 'é'.repeat(length / 2)
      const told = createHash('sha256')
        .update(`${long.length + 2}:"${long}"`)
        .digest('hex')
      expect(await digestOf(long)).toBe(told)
      vi.stubGlobal('crypto', {})
      expect(await digestOf(long)).toBe(told)
    },
  )

  it('tells apart what runs together to the same', async () => {
    const all = await Promise.all([
      digestOf('ab'),
      digestOf('a', 'b'),
      digestOf('ab', ''),
      digestOf('', 'ab'),
      digestOf(['ab']),
    ])
    expect(new Set(all).size).toBe(5)
    const texts = fc.array(text, { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(texts, texts, async (one, other) => {
        const same = (await digestOf(...one)) === (await digestOf(...other))
        expect(same).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })
})

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

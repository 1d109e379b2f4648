import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf, modelsOf, place, watching } from '../../test/support/scripted-places.ts'
import { byContextLength } from './by-context-length.ts'

const sized = (model: string, contextTokens: number) => place(model, { contextTokens })
const [small, large, huge, unknown] = [
  sized('small', 500),
  sized('large', 2_000),
  sized('huge', 9_000),
  place('unknown'),
]
const saying = (bytes: number, more = {}) =>
  draftOf({ messages: [{ role: 'user', content: 'x'.repeat(bytes) }], ...more })

describe('byContextLength', () => {
  const route = byContextLength(huge, unknown, large, small)

  it('gives the smallest that fits, then larger ones, then those that do not say', () => {
    expect(modelsOf(route, undefined, saying(10))).toEqual(['small', 'large', 'huge', 'unknown'])
    const { context, skipped } = watching()
    expect(modelsOf(route, context, saying(4_000))).toEqual(['large', 'huge', 'unknown'])
    expect(skipped).toEqual([['small', 'too_small']])
  })

  it('counts the bound of the answer', () => {
    expect(modelsOf(route, undefined, saying(10, { max_completion_tokens: 1_990 }))).toEqual([
      'huge',
      'unknown',
    ])
  })

  it('gives the largest first where none is likely to fit', () => {
    const { context, skipped } = watching()
    expect(modelsOf(byContextLength(small, [large, small]), context, saying(50_000))).toEqual([
      'large',
      'small',
    ])
    expect(skipped).toEqual([])
  })

  it('gives every place or tells why not, and always one', () => {
    const places = [small, large, huge, unknown]
    fc.assert(
      fc.property(fc.subarray(places, { minLength: 1 }), fc.nat(60_000), (some, bytes) => {
        const { context, skipped } = watching()
        const given = modelsOf(byContextLength(...some), context, saying(bytes))
        expect(given.length).toBeGreaterThan(0)
        const told = [...given, ...skipped.map(([model]) => model)]
        expect(told.sort()).toEqual(some.map(({ model }) => model).sort())
      }),
    )
  })

  it('refuses no entries', () => {
    expect(() => byContextLength()).toThrow(/got an empty list/)
  })
})

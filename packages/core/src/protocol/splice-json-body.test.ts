import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BodyEdit, spliceJson, spliceJsonBody } from '../provider.ts'

const edits: readonly BodyEdit[] = [
  { path: ['model'], value: 'other' },
  { path: ['none'], value: undefined },
  { path: ['added'], value: { at: 'the end \u20ac' } },
]

const long = (unit: string) => JSON.stringify({ model: 'm', text: unit.repeat(70_000), last: [1, unit] })

describe('spliceJsonBody', () => {
  it.each(['a', '\u00e9', '\u65e5', '\ud83d\ude00', '"\\'])('writes the bytes of a long text: %j', unit => {
    for (const list of [[], edits]) {
      const body = spliceJsonBody(long(unit), list)
      expect(body).toBeInstanceOf(Uint8Array)
      expect(new TextDecoder('utf-8', { fatal: true }).decode(body as Uint8Array)).toBe(
        spliceJson(long(unit), list),
      )
    }
  })

  it('leaves a short text a text', () => {
    expect(spliceJsonBody('{"model":"m"}', edits.slice(0, 1))).toBe('{"model":"other"}')
  })

  it('writes what spliceJson writes, wherever a character is not ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.nat(69_000), (text, before) => {
        const json = JSON.stringify({ a: 'x'.repeat(before), b: text, model: 'm', c: 'y'.repeat(70_000) })
        const body = spliceJsonBody(json, edits) as Uint8Array
        expect(new TextDecoder().decode(body)).toBe(spliceJson(json, edits))
      }),
      { numRuns: 50 },
    )
  })
})

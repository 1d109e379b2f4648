import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BodyEdit, spliceJson, spliceJsonBody } from '../provider.ts'
import { receivedText } from './received-text.ts'

const edits: readonly BodyEdit[] = [
  { path: ['model'], value: 'other' },
  { path: ['none'], value: undefined },
  { path: ['added'], value: { at: 'the end \u20ac' } },
]

const long = (unit: string) => JSON.stringify({ model: 'm', text: unit.repeat(70_000), last: [1, unit] })

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns the bytes in pieces, some of which may be empty. */
function cut(bytes: Uint8Array, positions: readonly number[]): readonly Uint8Array[] {
  const ends = [...positions.map(position => Math.min(position, bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  )
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

describe('spliceJsonBody', () => {
  it.each(['a', '\u00e9', '\u65e5', '\ud83d\ude00', '"\\'])('writes the bytes of a long text: %j', unit => {
    for (const list of [[], edits]) {
      const body = spliceJsonBody({ text: long(unit) }, list)
      expect(body).toBeInstanceOf(Uint8Array)
      expect(new TextDecoder('utf-8', { fatal: true }).decode(body as Uint8Array)).toBe(
        spliceJson(long(unit), list),
      )
    }
  })

  it('sends the received bytes of a long text with its edits between them, wherever they were cut', () => {
    const units = ['a', '\u00e9', '\u65e5', '\ud83d\ude00', '"\\']
    const list: fc.Arbitrary<readonly BodyEdit[]> = fc.subarray([
      ...edits,
      { path: ['text'], value: 'short' },
      { path: ['last', 0], value: undefined },
      { path: ['last', 1], value: '\u20ac' },
    ])
    const cuts = fc.array(fc.nat(400_000), { maxLength: 6 })
    fc.assert(
      fc.property(fc.constantFrom(...units), cuts, list, (unit, cutAt, chosen) => {
        const text = long(unit)
        const received = receivedText(text, cut(encode(text), cutAt), encode(text).length)
        const body = spliceJsonBody({ text, received }, chosen)
        if (!Array.isArray(body)) throw new Error('The body is no list.')
        const sent = Buffer.concat(body as Uint8Array[])
        expect(sent.toString() === spliceJson(text, chosen)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('does not send the bytes of another text', () => {
    const received = receivedText(long('a'), [encode(long('a'))], long('a').length)
    expect(received).toBeDefined()
    const body = spliceJsonBody({ text: long('b'), received }, []) as Uint8Array
    expect(new TextDecoder().decode(body) === long('b')).toBe(true)
  })

  it('receives no bytes with a byte order mark, which no JSON text has', () => {
    const text = long('a')
    const bytes = encode(`\ufeff${text}`)
    expect(receivedText(text, [bytes], bytes.length)).toBeUndefined()
    // Its mark may be cut, too.
    expect(receivedText(text, cut(bytes, [1, 2]), bytes.length)).toBeUndefined()
  })

  it('leaves a short text a text', () => {
    expect(spliceJsonBody({ text: '{"model":"m"}' }, edits.slice(0, 1))).toBe('{"model":"other"}')
  })

  it('writes what spliceJson writes, wherever a character is not ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.nat(69_000), (text, before) => {
        const json = JSON.stringify({ a: 'x'.repeat(before), b: text, model: 'm', c: 'y'.repeat(70_000) })
        const body = spliceJsonBody({ text: json }, edits) as Uint8Array
        expect(new TextDecoder().decode(body)).toBe(spliceJson(json, edits))
      }),
      { numRuns: 50 },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../protocol/chat.ts'
import { openReasoning, readerOf, sealReasoning } from './sealed-reasoning.ts'

const none = new Map<string, JsonObject>()

describe('sealed reasoning', () => {
  it('comes back as it was', () => {
    const detail = fc.record({
      type: fc.string(),
      signature: fc.string({ minLength: 1 }),
      text: fc.string({ unit: 'binary' }),
    })
    const calls = fc.uniqueArray(fc.tuple(fc.string(), fc.record({ s: fc.string() })), {
      selector: ([id]) => id,
      maxLength: 5,
    })
    fc.assert(
      fc.property(fc.array(detail, { minLength: 1, maxLength: 5 }), calls, (details, entries) => {
        const sealed = sealReasoning({ realm: 'a1', details, calls: new Map(entries) })!
        expect(sealed).toMatch(/^[\x21-\x7e]+$/)
        expect(readerOf(sealed)).toBe('a1')
        expect(openReasoning(sealed)).toEqual({ realm: 'a1', details, calls: new Map(entries) })
      }),
    )
  })

  it('is made only of what a vendor can check', () => {
    expect(sealReasoning({ details: [], calls: none })).toBeUndefined()
    expect(sealReasoning({ details: [{ type: 'reasoning.text', text: 'why' }], calls: none })).toBeUndefined()
    expect(sealReasoning({ details: [{ data: 'x'.repeat(5_000_000) }], calls: none })).toBeUndefined()
    expect(sealReasoning({ details: [], calls: new Map([['a', { s: 1 }]]) })).toBeDefined()
  })

  it('is nothing else: other texts are not opened, and odd ones hold nothing', () => {
    const [prefix] = sealReasoning({ details: [{ data: 'x' }], calls: none })!.split('.')
    const sealed = (value: unknown) => `${prefix}..${btoa(JSON.stringify(value))}`
    for (const text of [
      '',
      'EqQBCgIYAhIM',
      `${prefix}.`,
      `${prefix}..`,
      `${prefix}.e30=`,
      `${prefix}.A1.e30=`,
      `${prefix}.${'a'.repeat(65)}.e30=`,
      `${prefix}.#`,
      `${prefix}.${btoa('{')}`,
      `${prefix}.${btoa('ÿ')}`,
    ]) {
      expect(openReasoning(text), text).toBeUndefined()
    }
    expect(openReasoning('sluice2.e30=')).toBeUndefined()
    for (const value of [
      7,
      [],
      {},
      { details: 7, calls: {} },
      { details: [7, null], calls: [7, [1, {}], ['a', 7]] },
    ]) {
      expect(openReasoning(sealed(value))).toEqual({ realm: '', details: [], calls: none })
    }
    expect(openReasoning(sealed(null))).toEqual({ realm: '', details: [], calls: none })
  })

  it('has no reader where it was changed, is too long, or is of another version', () => {
    const sealed = sealReasoning({ realm: 'a1', details: [{ data: 'x' }], calls: none })!
    expect(readerOf('EqQBCgIYAhIM')).toBeUndefined()
    expect(readerOf('')).toBeUndefined()
    for (const text of [
      `${sealed}#`,
      sealed.slice(0, -7),
      sealed.replace('.a1.', '.A1.'),
      sealed.replace('.a1.', '.'),
      sealed.replace('sluice1', 'sluice2'),
      `sluice1.a1.${btoa(JSON.stringify({ details: [{ data: 'x'.repeat(4_000_000) }] }))}`,
      'sluice1.',
    ]) {
      expect(readerOf(text), text.slice(0, 40)).toBe('unreadable')
    }
  })

  it('never throws, whatever it is', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json().map(btoa8))
    fc.assert(
      fc.property(text, content => {
        for (const each of [content, `sluice1.${content}`, `sluice1.a1.${content}`]) {
          const opened = openReasoning(each)
          if (opened === undefined) continue
          for (const detail of opened.details) expect(typeof detail).toBe('object')
        }
      }),
    )
  })

  it('holds nothing deep, and no more blocks than an answer has', () => {
    const sealed = (value: string) => `sluice1..${btoa(value)}`
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(openReasoning(sealed(`{"details":[{"a":${deep}},{"b":1}]}`))?.details).toEqual([{ b: 1 }])
    expect(openReasoning(sealed('{"details":[{"__proto__":{"a":1}}]}'))?.details).toEqual([])
    const many = JSON.stringify({ details: Array.from({ length: 5_000 }, () => ({ data: 'x' })) })
    expect(openReasoning(sealed(many))?.details).toHaveLength(1_024)
  })
})

function btoa8(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

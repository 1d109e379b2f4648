import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base62, crc32, isIssuedKey, keyForm, newKey, newKeyId, randomBase62 } from './issued-key.ts'

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const keys = fc
  .tuple(fc.infiniteStream(fc.integer({ min: 0, max: 255 })), fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/))
  .map(([bytes, prefix]) => {
    const chosen = (length: number) => Uint8Array.from([...bytes.take(length)])
    return { prefix, key: newKey(prefix, newKeyId(chosen), chosen) }
  })

describe('the text of a key', () => {
  it('is a prefix, an id, a secret and a checksum', () => {
    const id = newKeyId(random)
    const key = newKey('sluice', id, random)
    expect(id).toMatch(/^[0-9A-Za-z]{12}$/)
    expect(key).toMatch(new RegExp(`^sluice_${id}_[0-9A-Za-z]{49}$`))
    expect(isIssuedKey(key)).toBe(true)
    expect(base62(zlibCrc32(key.slice(0, -6)), 6)).toBe(key.slice(-6))
  })

  it('is fresh each time', () => {
    const made = Array.from({ length: 1_000 }, () => newKey('a', newKeyId(random), random))
    expect(new Set(made.map(key => key.slice(2, 14))).size).toBe(1_000)
    expect(new Set(made.map(key => key.slice(15))).size).toBe(1_000)
  })

  it('is refused after any change of one character, and after any two neighbours were swapped', () => {
    const other = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })
    const near = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_')
    fc.assert(
      fc.property(keys, fc.nat(), fc.oneof(near, other), ({ prefix, key }, place, character) => {
        const fits = keyForm(prefix)
        expect(fits(key)).toBe(true)
        const at = place % key.length
        const changed = key.slice(0, at) + character + key.slice(at + 1)
        expect(fits(changed)).toBe(changed === key)
        for (let first = 0; first + 1 < key.length; first++) {
          const [a = '', b = ''] = key.slice(first)
          const swapped = key.slice(0, first) + b + a + key.slice(first + 2)
          expect(fits(swapped)).toBe(swapped === key)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is refused after every single change of a letter or digit', () => {
    const key = newKey('sluice', newKeyId(random), random)
    for (let at = 0; at < key.length; at++) {
      for (const character of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. \n') {
        const changed = key.slice(0, at) + character + key.slice(at + 1)
        if (changed !== key) expect(isIssuedKey(changed)).toBe(false)
      }
    }
  })

  it.each(['', 'sluice', 'sk-one', 'sluice_a_b', 'x'.repeat(100_000), undefined, null, 7, {}])(
    'is not %s',
    text => {
      expect(isIssuedKey(text as string)).toBe(false)
    },
  )

  it('is of one prefix only, and whole', () => {
    const key = newKey('acme', newKeyId(random), random)
    expect([isIssuedKey(key, 'acme'), isIssuedKey(key), isIssuedKey(key, 'acm')]).toEqual([
      true,
      false,
      false,
    ])
    expect([isIssuedKey(`${key}\n`, 'acme'), isIssuedKey(` ${key}`, 'acme')]).toEqual([false, false])
  })

  it.each(['', 'Sluice', '1a', 'a_b', 'a-b', 'a'.repeat(33), undefined, ['a']])(
    'has no prefix %s',
    prefix => {
      expect(() => keyForm(prefix as string)).toThrow(/^prefix: expected 1 to 32 lower-case/)
    },
  )
})

describe('crc32', () => {
  it('is that of zlib', () => {
    expect(crc32('123456789')).toBe(0xcbf43926)
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), text => {
        expect(crc32(text)).toBe(zlibCrc32(text))
      }),
    )
  })
})

describe('randomBase62', () => {
  it('favours no digit', () => {
    const counts = new Map<string, number>()
    const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    for (const digit of randomBase62(248, () => everyByte)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
    expect([counts.size, new Set(counts.values())]).toEqual([62, new Set([4])])
  })

  it.each([
    ['nothing but what is passed over', () => new Uint8Array(12).fill(255)],
    ['nothing', () => new Uint8Array(0)],
  ])('throws for a source that gives %s', (_, source) => {
    expect(() => randomBase62(12, source)).toThrow(/random bytes/)
  })
})

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { digestOf } from './digest-of.ts'

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

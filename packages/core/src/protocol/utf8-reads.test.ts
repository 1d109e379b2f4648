import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Utf8Reads } from './utf8-reads.ts'

const bytes = fc.oneof(
  fc.string({ unit: 'binary' }).map(text => new TextEncoder().encode(text)),
  fc
    .string({ unit: fc.constantFrom('a', '\n', 'é', '€', '😀', '\ufeff') })
    .map(text => new TextEncoder().encode(text)),
  fc.uint8Array(),
  fc
    .array(fc.constantFrom(0xef, 0xbb, 0xbf, 0x61, 0xe2, 0x82, 0xac, 0xf0, 0x0a))
    .map(list => Uint8Array.from(list)),
)

describe('Utf8Reads', () => {
  it('makes of any bytes, however they are cut, what one TextDecoder makes', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(5), { minLength: 1 }), (all, sizes) => {
        const one = new TextDecoder()
        const reads = new Utf8Reads()
        let at = 0
        for (let cut = 0; at < all.length; cut++) {
          // A size of 0 is an empty read; the rest comes as one.
          const size = cut < sizes.length ? sizes[cut]! : all.length
          const read = all.subarray(at, at + size)
          at += size
          expect(reads.decode(read)).toBe(one.decode(read, { stream: true }))
        }
        expect(reads.end()).toBe(one.decode())
      }),
      { numRuns: 2_000 },
    )
  })
})

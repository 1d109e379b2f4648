import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32 } from './crc32.ts'

describe('crc32', () => {
  it('gives the check value of the standard', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
    expect(crc32(new Uint8Array())).toBe(0)
  })

  it.skipIf(zlibCrc32 === undefined)('is the one of zlib, also of a range and in pieces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), fc.nat(), (bytes, a, b) => {
        const [start, end] = [a % (bytes.length + 1), b % (bytes.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ]
        expect(crc32(bytes, start, end)).toBe(zlibCrc32(bytes.subarray(start, end)))
        const middle = Math.floor((start + end) / 2)
        expect(crc32(bytes, middle, end, crc32(bytes, start, middle))).toBe(crc32(bytes, start, end))
      }),
    )
  })
})

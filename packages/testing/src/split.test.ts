import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from './seeded-random.ts'
import { splitBytes } from './split.ts'

test('pieces joined are the bytes again, none empty, the same for the same seed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer(),
      fc.integer({ min: 1, max: 50 }),
      (bytes, seed, max) => {
        for (const split of ['whole', 'bytes', { seed, max }] as const) {
          const pieces = splitBytes(bytes, split)
          expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes))
          expect(pieces.every(piece => piece.length > 0)).toBe(true)
          expect(splitBytes(bytes, split)).toEqual(pieces)
        }
      },
    ),
  )
})

test('bytes gives one byte each, a seed pieces of 1 to max bytes of differing length', () => {
  const bytes = new Uint8Array(1000)
  expect(splitBytes(bytes, 'bytes')).toHaveLength(1000)
  const lengths = new Set(
    splitBytes(bytes, { seed: 7, max: 5 })
      .slice(0, -1)
      .map(piece => piece.length),
  )
  expect([...lengths].sort()).toEqual([1, 2, 3, 4, 5])
})

test('a max that makes no pieces is refused', () => {
  expect(() => splitBytes(Uint8Array.of(1), { seed: 1, max: 0 })).toThrow('split.max: got 0')
})

test('random is the same for the same seed and stays in [0, 1)', () => {
  const numbers = (seed: number) => Array.from({ length: 1000 }, seededRandom(seed))
  expect(numbers(3)).toEqual(numbers(3))
  expect(numbers(3)).not.toEqual(numbers(4))
  expect(Math.min(...numbers(3))).toBeGreaterThanOrEqual(0)
  expect(Math.max(...numbers(3))).toBeLessThan(1)
  const mean = numbers(5).reduce((sum, n) => sum + n) / 1000
  expect(mean).toBeGreaterThan(0.45)
  expect(mean).toBeLessThan(0.55)
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from './seeded-random.ts'

const aSeed = fc.integer({ min: 0, max: 0xffff_ffff })

function drawn(count: number, random: () => number): number[] {
  return Array.from({ length: count }, random)
}

/** How far the shares of `cells` are from equal: Pearson's chi-squared. */
function chiSquared(values: readonly number[], cells: number): number {
  const counts = Array.from({ length: cells }, () => 0)
  for (const value of values) counts[Math.floor(value * cells)]!++
  const expected = values.length / cells
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

/** 63 degrees of freedom: beyond this once in a billion draws of a fair generator. */
const tooUnequal = 150

describe('seededRandom', () => {
  it('gives the same numbers for the same seed, all from 0 up to 1', () => {
    fc.assert(
      fc.property(aSeed, seed => {
        const numbers = drawn(20, seededRandom(seed))
        expect(drawn(20, seededRandom(seed))).toEqual(numbers)
        expect(numbers.every(number => number >= 0 && number < 1)).toBe(true)
      }),
    )
  })

  it('gives other numbers for another seed', () => {
    fc.assert(
      fc.property(aSeed, aSeed, (one, other) => {
        fc.pre(one !== other)
        expect(drawn(4, seededRandom(one))).not.toEqual(drawn(4, seededRandom(other)))
      }),
    )
  })

  it('spreads the numbers of one seed evenly', () => {
    for (const seed of [0, 1, 0x8000_0000, 0xffff_ffff, 123_456_789]) {
      expect(chiSquared(drawn(64_000, seededRandom(seed)), 64)).toBeLessThan(tooUnequal)
    }
  })

  it('spreads the first number, and the second, evenly over seeds that are neighbours', () => {
    for (const place of [0, 1]) {
      const values = Array.from({ length: 64_000 }, (_, seed) => drawn(2, seededRandom(seed))[place]!)
      expect(chiSquared(values, 64)).toBeLessThan(tooUnequal)
    }
  })

  it('does not tell the next number by the last one', () => {
    const random = seededRandom(7)
    const pairs = Array.from(
      { length: 64_000 },
      () => Math.floor(random() * 8) * 8 + Math.floor(random() * 8),
    )
    expect(
      chiSquared(
        pairs.map(pair => pair / 64),
        64,
      ),
    ).toBeLessThan(tooUnequal)
  })
})

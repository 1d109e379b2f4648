import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nanoDollars } from './nano-dollars.ts'

describe('nanoDollars', () => {
  it.each([
    [0, 0],
    [1, 1_000_000_000],
    [0.0125, 12_500_000],
    [0.1 + 0.2, 300_000_000],
    [1.2e-10, 1],
    [1.0001e-9, 2],
    [9_000_000, 9_000_000_000_000_000],
    [1e300, Number.MAX_SAFE_INTEGER],
  ])('of %d dollars are %d', (dollars, nanos) => {
    expect(nanoDollars(dollars)).toBe(nanos)
  })

  it('of a whole number of billionths are that number', () => {
    fc.assert(
      fc.property(fc.nat(1e12), nanos => {
        expect(nanoDollars(nanos / 1e9)).toBe(nanos)
      }),
    )
  })

  it('are never less than the dollars', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1_000, noNaN: true }), dollars => {
        expect(nanoDollars(dollars)).toBeGreaterThanOrEqual(dollars * 1e9 * (1 - 2 ** -49))
        expect(nanoDollars(dollars)).toBeLessThan(dollars * 1e9 + 1.001)
      }),
    )
  })
})

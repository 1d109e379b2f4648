import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Latencies } from './latencies.ts'

const span = fc.oneof(fc.double({ min: 0.1, max: 3.6e7, noNaN: true }), fc.integer({ min: 1, max: 60_000 }))

function of(spans: readonly number[]): Latencies {
  const latencies = new Latencies()
  for (const ms of spans) latencies.add(ms)
  return latencies
}

/** The least value that `share` of all do not exceed. */
function exact(spans: readonly number[], share: number): number {
  const sorted = [...spans].sort((one, other) => one - other)
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1]!
}

describe('Latencies', () => {
  it('tells percentiles within 3 percent', () => {
    fc.assert(
      fc.property(
        fc.array(span, { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (spans, share) => {
          const told = of(spans).percentile(share)!
          const right = exact(spans, share)
          expect(Math.abs(told - right)).toBeLessThanOrEqual(0.03 * right)
        },
      ),
    )
  })

  it('is the same for all of two as for both together', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 30 }), fc.array(span, { maxLength: 30 }), (some, others) => {
        const both = of(some)
        both.addAll(of(others))
        const whole = of([...some, ...others])
        expect(both.count).toBe(whole.count)
        for (const share of [0, 0.5, 0.95, 1]) expect(both.percentile(share)).toBe(whole.percentile(share))
      }),
    )
  })

  it('knows none where nothing was counted, and counts nothing that is no span of time', () => {
    const latencies = of([Number.NaN, -1, undefined as never])
    expect([latencies.count, latencies.percentile(0.5)]).toEqual([0, null])
  })

  it('counts what is outside its range as the nearest in it', () => {
    expect(of([0]).percentile(0.5)).toBeCloseTo(0.1, 2)
    expect(of([Number.POSITIVE_INFINITY]).percentile(0.5)! / 3.6e7).toBeCloseTo(1, 1)
  })
})

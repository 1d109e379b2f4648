import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gcra } from './gcra.ts'

describe('gcra', () => {
  it('lets all of the limit come at once, then refuses', () => {
    const rate = { limit: 3, windowMs: 3_000 }
    let arrival: number | undefined
    const remaining: number[] = []
    for (let i = 0; i < 3; i++) {
      const decision = gcra(arrival, 0, rate)
      expect(decision.allowed).toBe(true)
      remaining.push(decision.remaining)
      arrival = decision.arrival
    }
    expect(remaining).toEqual([2, 1, 0])
    const refused = gcra(arrival, 0, rate)
    expect(refused).toMatchObject({ allowed: false, arrival, remaining: 0, resetMs: 3_000 })
    expect(refused.waitMs).toBeCloseTo(1_000, 0)
  })

  it('allows the next one after the wait that it told', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.constantFrom(1_000, 60_000, 3_600_000),
        fc.integer({ min: 0, max: 2_000_000_000_000 }),
        (limit, windowMs, start) => {
          const rate = { limit, windowMs }
          let arrival: number | undefined
          for (let i = 0; i < limit; i++) arrival = gcra(arrival, start, rate).arrival
          const refused = gcra(arrival, start, rate)
          expect(refused.allowed).toBe(false)
          expect(gcra(refused.arrival, start + Math.ceil(refused.waitMs), rate).allowed).toBe(true)
        },
      ),
    )
  })

  it('never admits more than the limit and what flowed back, in any span', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), gaps, (limit, steps) => {
        const rate = { limit, windowMs: 1_000 }
        const admitted: number[] = []
        let now = 0
        let arrival: number | undefined
        for (const step of steps) {
          now += step
          const decision = gcra(arrival, now, rate)
          arrival = decision.arrival
          if (decision.allowed) admitted.push(now)
        }
        for (const [i, from] of admitted.entries()) {
          for (const [j, to] of admitted.entries()) {
            if (j < i) continue
            expect(j - i + 1).toBeLessThanOrEqual(limit + ((to - from) * limit) / 1_000 + 1e-3)
          }
        }
      }),
      { numRuns: 50 },
    )
  })
})

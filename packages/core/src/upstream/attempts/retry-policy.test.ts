import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultRetry } from '../health/health-options.ts'
import { backoffDelay } from './retry-policy.ts'

const told = (retryAfterMs: number | undefined) => ({ retryAfterMs })

describe('the wait before a repeat', () => {
  it('is a random share of a bound that doubles, up to the largest', () => {
    const half = (repeats: number) => backoffDelay(told(undefined), repeats, 0.5, defaultRetry)
    expect([0, 1, 2, 3, 4, 5, 6, 60].map(half)).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
  })

  it('is as long as the upstream asks for, but not longer than is waited', () => {
    expect(backoffDelay(told(0), 5, 0.9, defaultRetry)).toBe(0)
    expect(backoffDelay(told(10_000), 5, 0.9, defaultRetry)).toBe(10_000)
    expect(backoffDelay(told(10_001), 5, 0.9, defaultRetry)).toBeUndefined()
  })

  it.each([-1, Number.NaN])('takes %d for nothing that was told', ms => {
    expect(backoffDelay(told(ms), 0, 0, defaultRetry)).toBe(0)
  })

  it('keeps its bounds', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, noNaN: true }), (repeats, random) => {
        const ms = backoffDelay(told(undefined), repeats, random, defaultRetry)!
        expect(ms).toBeGreaterThanOrEqual(0)
        expect(ms).toBeLessThanOrEqual(Math.min(defaultRetry.maxMs, defaultRetry.baseMs * 2 ** repeats))
      }),
    )
  })
})

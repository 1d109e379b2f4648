import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration } from './duration.ts'

describe('duration', () => {
  it.each([
    [0, '0s'],
    [1, '1ms'],
    [120, '120ms'],
    [8_640, '8.64s'],
    [90_000, '1m30s'],
    [360_000, '6m0s'],
    [3_600_000, '1h0m0s'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })

  it('always has the form that clients parse', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e10, noNaN: true }), ms => {
        expect(duration(ms)).toMatch(/^(\d+h)?(\d+m)?(\d+(\.\d+)?(s|ms))$/)
      }),
    )
  })
})

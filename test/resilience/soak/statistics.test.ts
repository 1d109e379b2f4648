import { describe, expect, it } from 'vitest'
import { lineThrough, spreadOf } from './statistics.ts'

describe('spreadOf', () => {
  it('gives percentiles by the nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, at) => 200 - at)
    expect(spreadOf(values)).toEqual({ count: 200, p50: 100, p99: 198, max: 200 })
    expect(spreadOf([7])).toEqual({ count: 1, p50: 7, p99: 7, max: 7 })
  })
})

describe('lineThrough', () => {
  it('finds the line that points lie on', () => {
    expect(
      lineThrough([
        [1, 5],
        [2, 7],
        [4, 11],
      ]),
    ).toEqual({ slope: 2, error: 0, start: 5, growth: 6 })
  })

  it('says how sure it is', () => {
    const flat = lineThrough([0, 1, 2, 3, 4, 5].map(x => [x, x % 2]))
    expect(Math.abs(flat.slope)).toBeLessThan(flat.error)
    expect(
      lineThrough([
        [0, 0],
        [1, 1],
      ]).error,
    ).toBe(Number.POSITIVE_INFINITY)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { busyTime } from './busy-time.ts'

const aSpan = fc
  .tuple(fc.nat(50), fc.option(fc.nat(20), { nil: undefined }))
  .map(([from, ms]) => ({ from, to: ms === undefined ? undefined : from + ms }))

describe('busyTime', () => {
  it('is the number of moments in which any span is under way', () => {
    fc.assert(
      fc.property(fc.array(aSpan, { maxLength: 8 }), fc.nat(80), (spans, until) => {
        const sorted = spans.toSorted((one, other) => one.from - other.from)
        const moments = Array.from({ length: until }, (_, at) => at)
        const busy = moments.filter(at => spans.some(({ from, to = until }) => from <= at && at < to))
        expect(busyTime(sorted, until)).toBe(busy.length)
      }),
    )
  })
})

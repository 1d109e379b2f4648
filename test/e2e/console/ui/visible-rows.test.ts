import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rangeAt } from '../../../../packages/console/ui/requests/use-visible-rows.ts'

describe('the rows of a long list that are in the document', () => {
  it('are around those on the screen, and not past the ends', () => {
    expect(rangeAt(0, 20, 500)).toEqual([0, 50])
    expect(rangeAt(100, 20, 500)).toEqual([85, 135])
    expect(rangeAt(490, 20, 500)).toEqual([450, 500])
    expect(rangeAt(-30, 20, 500)).toEqual([0, 50])
  })

  it('are all that are seen, and at most 58 if no more are seen', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 59, max: 100_000 }),
        fc.double({ min: 1, max: 200, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, seen, at) => {
          const first = at * Math.max(0, count - seen)
          const [start, end] = rangeAt(first, seen, count)
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeLessThanOrEqual(count)
          expect(start).toBeLessThanOrEqual(first)
          expect(end).toBeGreaterThanOrEqual(Math.min(count, Math.floor(first + seen)))
          if (seen <= 56) expect(end - start).toBeLessThanOrEqual(58)
        },
      ),
    )
  })
})

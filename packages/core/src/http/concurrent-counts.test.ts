import { describe, expect, it } from 'vitest'
import { ConcurrentCounts, maxConcurrentCounts } from './concurrent-counts.ts'

const random = () => 0.5

describe('ConcurrentCounts', () => {
  it('bounds those of a principal, and lets others in', () => {
    const counts = new ConcurrentCounts()
    const ends = Array.from({ length: maxConcurrentCounts.ofPrincipal }, () => counts.start('ann', random))
    expect(() => counts.start('ann', random)).toThrow(
      expect.objectContaining({
        status: 429,
        message: expect.stringContaining('expected at most 100'),
        headers: { 'retry-after': '3', 'retry-after-ms': '3000' },
      }),
    )
    counts.start('bob', random)()
    ends[0]!()
    // A second call must not make room for another one.
    ends[0]!()
    counts.start('ann', random)
    expect(() => counts.start('ann', random)).toThrow(expect.objectContaining({ status: 429 }))
  })

  it('bounds those of all together, and remembers nobody afterwards', () => {
    const counts = new ConcurrentCounts()
    const ends = Array.from({ length: maxConcurrentCounts.total }, (_, index) =>
      counts.start(`p${index % 20}`, random),
    )
    expect(() => counts.start('bob', random)).toThrow(
      expect.objectContaining({ status: 503, headers: { 'retry-after': '3', 'retry-after-ms': '3000' } }),
    )
    expect(counts.principals).toBe(20)
    for (const end of ends) end()
    expect(counts.principals).toBe(0)
  })
})

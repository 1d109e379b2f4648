import { describe, expect, it } from 'vitest'
import { seededRandom } from '../seeded-random.ts'
import { type Distribution, distributionIssue, sampler } from './distribution.ts'

function sampled(distribution: Distribution): number[] {
  const draw = sampler(distribution, seededRandom(1))
  return Array.from({ length: 20_000 }, draw).sort((one, other) => one - other)
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('sampler', () => {
  it('draws what the distribution says', () => {
    expect(new Set(sampled(5))).toEqual(new Set([5]))
    const uniform = sampled({ uniform: { min: 10, max: 20 } })
    expect(uniform[0]).toBeGreaterThanOrEqual(10)
    expect(uniform.at(-1)).toBeLessThan(20)
    expect(mean(uniform)).toBeCloseTo(15, 0)
    expect(mean(sampled({ exponential: { mean: 100 } }))).toBeCloseTo(100, -1)
    const lognormal = sampled({ lognormal: { median: 400, p99: 2_000 } })
    expect(lognormal[10_000]! / 400).toBeCloseTo(1, 1)
    expect(lognormal[19_800]! / 2_000).toBeCloseTo(1, 1)
    expect(new Set(sampled({ empirical: [1, 2, 7] }))).toEqual(new Set([1, 2, 7]))
  })

  it.each([
    -1,
    Number.NaN,
    'fast',
    null,
    {},
    { uniform: { min: 2, max: 1 } },
    { exponential: {} },
    { lognormal: { median: 0, p99: 1 } },
    { lognormal: { median: 2, p99: 1 } },
    { empirical: [] },
    { uniform: { min: 1, max: 2 }, exponential: { mean: 1 } },
  ])('rejects %j', value => {
    expect(distributionIssue(value)).toBeDefined()
    expect(() => sampler(value as Distribution, () => 0)).toThrow(TypeError)
  })
})

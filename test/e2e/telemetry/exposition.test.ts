import { describe, expect, it } from 'vitest'
import { readMetrics, total } from './exposition.ts'

const counter = '# HELP a_total What.\n# TYPE a_total counter\n'
const histogram = '# HELP h What.\n# TYPE h histogram\n'

describe('readMetrics', () => {
  it('reads numbers and labels', () => {
    const families = readMetrics(`${counter}a_total{x="1",y="a\\"\\\\\\nb"} 2\na_total{x="1",y=""} 3\n`)
    expect(families[0]!.samples[0]!.labels).toEqual({ x: '1', y: 'a"\\\nb' })
    expect(total(families, 'a_total', { x: '1' })).toBe(5)
    expect(total(families, 'a_total', { y: '' })).toBe(3)
  })

  it('reads a gauge without a value, in both spellings', () => {
    const gauges = readMetrics('# HELP a What.\n# TYPE a gauge\na{x="1"} NaN\na{x="2"} Nan\n')
    expect(gauges[0]!.samples.map(({ value }) => value)).toEqual([Number.NaN, Number.NaN])
  })

  it.each([
    ['no end', `${counter}a_total 1`],
    ['no type', 'a_total 1\n'],
    ['no help', '# TYPE a_total counter\na_total 1\n'],
    ['another name', `${counter}b_total 1\n`],
    ['twice', `${counter}a_total{x="1"} 1\na_total{x="1"} 2\n`],
    ['no number', `${counter}a_total one\n`],
    ['a count that is not a number', `${counter}a_total Nan\n`],
    ['an open label', `${counter}a_total{x="1} 1\n`],
    ['a raw quote', `${counter}a_total{x="1"2"} 1\n`],
    ['a count below 0', `${counter}a_total -1\n`],
    ['no last bucket', `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
    ['buckets that fall', `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`],
    ['another count', `${histogram}h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`],
  ])('throws for %s', (_, page) => {
    expect(() => readMetrics(page)).toThrow()
  })
})

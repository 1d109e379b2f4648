import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { optionsOf } from '../../../bench/options.ts'
import { chartOf } from '../../../bench/report/chart.ts'
import { pageOf } from '../../../bench/report/page.ts'
import type { Result } from '../../../bench/result.ts'

const one = { cpuMicros: 50, perSecond: 18_000, p50: 1.7, p99: 4, p50Alone: 0.1, p99Alone: 0.3, peakMiB: 90 }
const result: Result = {
  node: '24.1.0',
  date: '2026-01-02',
  commit: 'abc1234',
  machine: 'a machine',
  cores: 'nothing is pinned',
  upstream: 'nginx',
  load: 0.1,
  rounds: 7,
  seconds: 2,
  served: [
    { name: 'bare-buffered', ...one },
    { name: 'sluice-node', ...one, cpuMicros: 100 },
    { name: 'portkey', ...one, cpuMicros: 1_200 },
  ],
  rows: [
    { id: 'cpu', what: 'CPU per request', figure: '100 us', ratio: '2.00 x', goal: '<= 1.5 x', met: false },
  ],
}

it('the page holds the figures between its marks, however often they are written', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/performance.md'), 'utf8')
  const once = pageOf(page, [{ ...result, node: '20.1.0' }, result])
  expect(once).toContain('| CPU per request | 100 us | 2.00 x | <= 1.5 x | **not met** |')
  expect(once).toContain('| Sluice, Node http | 100 us (2.00 x) | 18000 (1.00 x) |')
  expect(once.indexOf('### Node 24.1.0')).toBeLessThan(once.indexOf('### Node 20.1.0'))
  expect(pageOf(once, [{ ...result, node: '20.1.0' }, result])).toBe(once)
  expect(() => pageOf('no marks', [result])).toThrow('lacks the lines')
})

it('the chart has a bar for each server, the longest for the most', () => {
  const chart = chartOf([result])
  const bars = [...chart.matchAll(/<rect class="(\w+)" x="190" y="\d+" width="([\d.]+)"/g)]
  // Portkey is in the second panel only.
  expect(bars.map(([, kind]) => kind)).toEqual(['bare', 'sluice', 'bare', 'sluice', 'bare'])
  expect(Number(bars[1]![2])).toBeCloseTo(2 * Number(bars[0]![2]), 0)
})

it.each([
  [['--only', 'nothing'], '--only: got nothing, expected one of cpu,'],
  [['--rounds', '0'], '--rounds: got 0, expected a number above 0.'],
  [['--save', '--quick'], '--save keeps whole runs'],
  [['--unknown'], "Unknown option '--unknown'"],
])('%s is refused', (args, message) => {
  expect(() => optionsOf(args)).toThrow(message)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { optionsOf } from '../../../bench/options.ts'
import { ticksIn } from '../../../bench/others.ts'
import { chartOf } from '../../../bench/report/chart.ts'
import { pageOf } from '../../../bench/report/page.ts'
import type { Result } from '../../../bench/result.ts'
import { middleOf, type Row } from '../../../bench/row.ts'
import { inTurns } from '../../../bench/turns.ts'

const one = { cpuMicros: 50, perSecond: 18_000, p50: 1.7, p99: 4, p50Alone: 0.1, p99Alone: 0.3, peakMiB: 90 }
const result: Result = {
  node: '24.1.0',
  date: '2026-01-02',
  commit: 'abc1234',
  machine: 'a machine',
  cores: 'nothing is pinned',
  upstream: 'nginx',
  runs: 3,
  rounds: 7,
  seconds: 2,
  served: [
    { name: 'bare-buffered', ...one },
    { name: 'sluice-node', ...one, cpuMicros: 100 },
    { name: 'portkey', ...one, cpuMicros: 1_200 },
  ],
  peers: [
    {
      name: 'LiteLLM proxy',
      features: 'log lines',
      cpuMicros: 4_000,
      perSecond: 250,
      p50Added: 3.5,
      p99Added: 9,
      memoryMiB: 600,
      streamsPerGiB: 1_500,
      startMs: 6_100,
    },
  ],
  rows: [
    {
      id: 'cpu',
      what: 'CPU per request',
      figure: '100 us',
      ratio: '2.00 x (1.90 to 2.10)',
      value: 2,
      spread: [1.951, 2.2],
      goal: '<= 1.5 x',
      met: false,
    },
  ],
}

it('the page holds the figures between its marks, however often they are written', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/performance.md'), 'utf8')
  const once = pageOf(page, [{ ...result, node: '20.1.0' }, result])
  expect(once).toContain(
    '| CPU per request | 100 us | 2.00 x (1.90 to 2.10) | 1.95 to 2.2 | <= 1.5 x | **not met** |',
  )
  expect(once).toContain('| Sluice, Node http | 100 us (2.00 x) | 18000 (1.00 x) |')
  expect(once).toContain(
    '| LiteLLM proxy | log lines | 4,000 us | 250 | 3.5 ms | 9 ms | 600 MiB | 1,500 | 6.1 s |',
  )
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
  [['--rounds', '1.5'], '--rounds: got 1.5, expected a whole number.'],
  [['--save', '--quick'], '--save keeps whole runs'],
  [['--save', '--busy'], '--save keeps whole runs'],
  [['--save', '--runs', '2'], '--save: got 2 runs, expected at least 3.'],
  [['--unknown'], "Unknown option '--unknown'"],
])('%s is refused', (args, message) => {
  expect(() => optionsOf(args)).toThrow(message)
})

it('of several runs, each row is that of the run in the middle, with the least and the most of all', () => {
  const row = (value: number, met: boolean): Row => ({
    id: 'cpu',
    what: 'CPU',
    figure: `${value} us`,
    value,
    met,
  })
  const told: Row = { id: 'redis', what: 'trips', figure: 'not measured: no Redis' }
  const runs = [
    [row(3, false), told],
    [row(1, true), told],
    [row(2, true), told],
  ]
  expect(middleOf(runs)).toEqual([{ ...row(2, true), spread: [1, 3] }, told])
  expect(middleOf([runs[0]!])).toEqual(runs[0])
})

it('measures in turns, each of them first in its turn', async () => {
  const order: string[] = []
  const measure = (name: string) => () => order.push(name)
  const rounds = await inTurns({ rounds: 2, busy: true }, [measure('a'), measure('b')])
  expect(order).toEqual(['a', 'b', 'b', 'a'])
  expect(rounds).toEqual([
    [1, 2],
    [4, 3],
  ])
})

it('tells what the bench and its descendants use from what other programs do', () => {
  const used = (id: number, name: string, parent: number, ticks: number) =>
    `${id} (${name}) S ${parent} 1 1 0 -1 0 0 0 0 0 ${ticks} 1 2 3 20 0 1 0 100 0 0`
  const processes = [
    used(1, 'init', 0, 900),
    used(10, 'node', 1, 10),
    used(11, 'nginx: worker (a) b', 10, 20),
    used(12, 'node', 11, 30),
    used(13, 'other', 1, 400),
  ]
  const stat = 'cpu  1000 20 300 5000 8 0 70 4 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n'
  expect(ticksIn(stat, processes, 10)).toEqual({ all: 1_324, own: 10 + 20 + 30 + 3 * 6 })
})

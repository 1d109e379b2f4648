import type { LoopDelay } from './process/messages.ts'
import type { SoakResult } from './soak-result.ts'
import { type Line, lineThrough, type Spread } from './statistics.ts'

/** One figure beside its goal. */
export interface Figure {
  readonly promise: string
  readonly what: string
  readonly got: string
  readonly goal: string
  /** `undefined` where there is no goal, or where the run was too short, or the machine too busy, to tell. */
  readonly met: boolean | undefined
}

const KiB = 1_024
const MiB = KiB * KiB
const hour = 3_600_000

/** The figures of a soak, in the order of what they promise. */
export function figuresOf(result: SoakResult): readonly Figure[] {
  return [...memoryFigures(result), ...abortFigures(result), ...soundness(result), ...delayFigures(result)]
}

function memoryFigures({ plan, memory, rested, held }: SoakResult): Figure[] {
  const settled = memory.slice(Math.ceil(memory.length / 3))
  const line = (of: 'used' | 'rss') => lineThrough(settled.map(sample => [sample.at, sample[of]]))
  const rss = line('rss')
  const growth = (100 * rss.growth) / rss.start
  const perStream = (held.used - rested.used) / plan.liveStreams
  const heap = line('used')
  const mibPerHour = ({ slope, error }: Line) => [(slope * hour) / MiB, (error * hour) / MiB] as const
  const [slope, error] = mibPerHour(heap)
  return [
    {
      promise: 'N1',
      what: `growth of the resident memory (${(rss.start / MiB).toFixed(0)} MiB) beside ${plan.liveStreams} live streams`,
      got: `${growth.toFixed(1)} %`,
      goal: '<= 5 %',
      met: growth <= 5,
    },
    {
      promise: 'N1',
      what: 'heap and buffers of each live stream',
      got: `${(perStream / KiB).toFixed(1)} KiB`,
      goal: '<= 64 KiB',
      met: perStream <= 64 * KiB,
    },
    {
      promise: 'N10',
      what: 'slope of heap and buffers after forced collections',
      got: `${slope.toFixed(2)} +- ${error.toFixed(2)} MiB/h`,
      goal: '< 1 MiB/h',
      met: surely(slope, error, 1),
    },
  ]
}

/** Whether a value is below its goal, where the measurement is fine enough to say so. */
function surely(value: number, error: number, goal: number): boolean | undefined {
  if (value + error < goal) return true
  return value - error >= goal ? false : undefined
}

function abortFigures({ aborts, delays }: SoakResult): Figure[] {
  return aborts.map(({ phase, at, spread }) => {
    const { count, p50, p99, max } = spread
    const bare = at === 'no gateway'
    return {
      promise: 'N2',
      what: `disconnect, ${phase} (${count} times): p50, p99, max`,
      got: `${p50.toFixed(1)}, ${p99.toFixed(1)}, ${max.toFixed(1)} ms`,
      goal: bare ? '-' : '<= 10, 100, 500 ms',
      met: bare ? undefined : quick(spread) || unlessStarved(delays[0]?.delay),
    }
  })
}

/** A goal that was missed while the process had to wait for a processor says nothing. */
function unlessStarved(delay: LoopDelay | undefined): false | undefined {
  return (delay?.starved ?? 0) > 0.05 ? undefined : false
}

function quick({ p50, p99, max }: Spread): boolean {
  return p50 <= 10 && p99 <= 100 && max <= 500
}

/** What has to hold however slow the machine is. */
export function soundness(result: SoakResult): Figure[] {
  const { exchanges, failures, alarms, books, before, after, upstreamLeft } = result
  const records = Object.values(books.byOutcome).reduce((sum, count) => sum + count, 0)
  const { admitted, settled } = books.leases
  return [
    exact('exchanges with an unexpected result', `${failures.length} of ${exchanges}`, `0 of ${exchanges}`),
    exact('uncaught exceptions, unhandled rejections, warnings', `${alarms.length}`, '0'),
    exact('records, one for each exchange', `${records}`, `${exchanges}`),
    exact('requests without a record, or with two', `${books.open + books.faults.length}`, '0'),
    exact('leases released, of those reserved', `${settled}`, `${admitted}`),
    unchanged('handles, sockets and timers', shown(before.resources), shown(after.resources)),
    unchanged('listeners on the process', `${before.listeners}`, `${after.listeners}`),
    unchanged('file descriptors', `${before.descriptors}`, `${after.descriptors}`),
    exact('open connections to the upstream', `${upstreamLeft}`, '0'),
  ]
}

function exact(what: string, got: string, goal: string): Figure {
  return { promise: 'N10', what, got, goal, met: got === goal }
}

function unchanged(what: string, before: string, after: string): Figure {
  return {
    promise: 'N10',
    what: `${what} at the end`,
    got: after,
    goal: `as before: ${before}`,
    met: before === after,
  }
}

function shown(resources: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(resources).sort(([one], [other]) => (one < other ? -1 : 1))
  return kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')
}

function delayFigures({ delays }: SoakResult): Figure[] {
  return delays.map(({ phase, hostile, delay }) => {
    const { p50, p99, max, starved } = delay
    const share = starved === undefined ? '?' : (100 * starved).toFixed(1)
    return {
      promise: 'N12',
      what: `event loop delay, ${phase}: p50, p99, max (waited for a processor)`,
      got: `${p50.toFixed(1)}, ${p99.toFixed(1)}, ${max.toFixed(1)} ms (${share} %)`,
      goal: hostile ? 'p99 <= 50 ms' : '-',
      met: hostile ? p99 <= 50 || unlessStarved(delay) : undefined,
    }
  })
}

import type { EndEvent } from '@sluice/core'
import type { NamedUsage, Series, SeriesLine, UsageSums } from '../api.ts'
import { usageSums } from '../usage-sums.ts'
import { callerOf, type LineKind, Minute, type MinuteLines, type MinuteSnapshot } from './minute.ts'
import { MinuteSums } from './minute-sums.ts'

const minuteMs = 60_000
const maxLines = 12

/** Sums of the last minutes. */
export interface SeriesRecorder {
  add(event: EndEvent): void
  /** The last so many minutes, the one that runs included. */
  series(by: Series['by'], minutes: number): Series
  /** All requests of the last so many minutes, the one that runs included. */
  sums(minutes: number): MinuteSums
  /** What each model or key used in the last so many minutes, of those that have lines of their own. */
  usageBy(kind: 'model' | 'key', minutes: number): NamedUsage[]
  /** The minutes that are kept, as a value of JSON. */
  snapshot(): SeriesSnapshot
  /** Adds the minutes of another recorder. */
  addSnapshot(snapshot: SeriesSnapshot): void
}

/** Minutes by when they began, in minutes since 1970. */
export type SeriesSnapshot = readonly (readonly [number, MinuteSnapshot])[]

/**
 * Keeps the sums of `minutes` minutes in memory, by when requests ended. One with ten models, keys and teams takes about
 * 30 KB; one takes 180 KB at most, which needs as many names as are kept, with latencies from 0.1 ms to hours. Percentiles
 * are read from `Latencies`, whose relative error is 3 % at most.
 */
export function createSeriesRecorder(minutes: number, teamTag: string, now: () => number): SeriesRecorder {
  const minutesByIndex = new Map<number, Minute>()
  const current = () => Math.floor(now() / minuteMs)

  const minuteAt = (minute: number): Minute => {
    const known = minutesByIndex.get(minute)
    if (known !== undefined) return known
    // Also those that lie ahead, where the clock was put back.
    for (const old of minutesByIndex.keys())
      if (old > minute || old <= minute - minutes) minutesByIndex.delete(old)
    const fresh = new Minute()
    minutesByIndex.set(minute, fresh)
    return fresh
  }
  const lastMinutes = (wanted: number): number[] => {
    const last = current()
    return Array.from({ length: wanted }, (_, index) => last - wanted + 1 + index)
  }
  return {
    add: event => minuteAt(current()).add(event, teamTag),
    series(by, wanted) {
      const at = lastMinutes(wanted)
      const selected = at.map(minute => minutesByIndex.get(minute))
      return { by, at: at.map(minute => minute * minuteMs), lines: linesOf(by, selected) }
    },
    snapshot: () => [...minutesByIndex].map(([index, minute]) => [index, minute.snapshot()] as const),
    addSnapshot(snapshot) {
      const last = current()
      for (const [index, minute] of snapshot) {
        if (index <= last - minutes || index > last) continue
        const known = minutesByIndex.get(index) ?? new Minute()
        minutesByIndex.set(index, known)
        known.addSnapshot(minute)
      }
    },
    sums(wanted) {
      const sum = new MinuteSums()
      for (const minute of lastMinutes(wanted)) {
        const known = minutesByIndex.get(minute)
        if (known !== undefined) sum.addAll(known.all)
      }
      return sum
    },
    usageBy(kind, wanted) {
      const used = new Map<string, Writable<UsageSums>>()
      for (const minute of lastMinutes(wanted)) {
        for (const [name, sums] of minutesByIndex.get(minute)?.[kind].names ?? []) {
          const known = used.get(name)
          if (known === undefined) used.set(name, usageSums(sums))
          else addUsage(known, sums)
        }
      }
      return [...used].map(([name, sums]) => ({ ...(kind === 'key' ? callerOf(name) : { name }), ...sums }))
    },
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

function addUsage(sum: Writable<UsageSums>, added: UsageSums): void {
  sum.requests += added.requests
  sum.promptTokens += added.promptTokens
  sum.completionTokens += added.completionTokens
  sum.cost += added.cost
  sum.unpriced += added.unpriced
}

function linesOf(by: Series['by'], minutes: readonly (Minute | undefined)[]): SeriesLine[] {
  if (by === 'all')
    return [
      lineOf(
        'all',
        'all',
        minutes.map(minute => minute?.all),
      ),
    ]
  const selected = minutes.map(minute => minute?.[by as LineKind])
  const shown = largest(selected)
  const named = shown.map(name => ({
    ...lineOf(
      name,
      'name',
      selected.map(lines => lines?.names.get(name)),
    ),
    ...(by === 'key' ? callerOf(name) : {}),
  }))
  const rest = [
    lineOf(
      'none',
      'none',
      selected.map(lines => lines?.none),
    ),
    lineOf(
      'other',
      'other',
      selected.map(lines => lines && others(lines, shown)),
    ),
  ]
  return [...named, ...rest.filter(({ requests }) => requests.some(count => count > 0))]
}

/** The names with the most requests; of two with as many the first by the alphabet. */
function largest(minutes: readonly (MinuteLines | undefined)[]): string[] {
  const totals = new Map<string, number>()
  for (const lines of minutes) {
    for (const [name, { requests }] of lines?.names ?? [])
      totals.set(name, (totals.get(name) ?? 0) + requests)
  }
  return [...totals]
    .sort(([name, total], [otherName, otherTotal]) => otherTotal - total || (name < otherName ? -1 : 1))
    .slice(0, maxLines)
    .map(([name]) => name)
}

function others({ names, other }: MinuteLines, shown: readonly string[]): MinuteSums {
  const sum = new MinuteSums()
  sum.addAll(other)
  for (const [name, sums] of names) if (!shown.includes(name)) sum.addAll(sums)
  return sum
}

function lineOf(
  name: string,
  kind: SeriesLine['kind'],
  minutes: readonly (MinuteSums | undefined)[],
): SeriesLine {
  const each = (read: (sums: MinuteSums) => number) =>
    minutes.map(sums => (sums === undefined ? 0 : read(sums)))
  return {
    name,
    kind,
    requests: each(sums => sums.requests),
    errors: each(sums => sums.errors),
    promptTokens: each(sums => sums.promptTokens),
    completionTokens: each(sums => sums.completionTokens),
    cost: each(sums => sums.cost),
    unpriced: each(sums => sums.unpriced),
    p50Ms: minutes.map(sums => sums?.total.percentile(0.5) ?? null),
    p95Ms: minutes.map(sums => sums?.total.percentile(0.95) ?? null),
    p99Ms: minutes.map(sums => sums?.total.percentile(0.99) ?? null),
    firstByteP50Ms: minutes.map(sums => sums?.firstByte.percentile(0.5) ?? null),
  }
}

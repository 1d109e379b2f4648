import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import type { LoggedRequest } from '@sluice/core/store'
import type {
  LatencySums,
  NamedUsage,
  Overview,
  OverviewLog,
  OverviewParts,
  OverviewUsage,
  TopUsage,
  UsageSums,
} from '../api.ts'
import { callStore } from '../call-store.ts'
import type { ConsoleState } from '../console-state.ts'
import type { ConsoleLog } from '../log-search.ts'
import { Latencies } from '../series/latencies.ts'
import { usageSums } from '../usage-sums.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const maxBudgets = 8
const maxFailures = 8
const maxTop = 5
/** As many rows as the request log gives at once, and as are read of it. */
const pageSize = 500
const maxSample = 2_000

/** The sums of the last minutes from memory: of fewer, if not as many are kept. */
export function memoryOverview(
  { series, budgets, minutes: kept, startedAt, now }: ConsoleState,
  minutes: number,
): Overview {
  const readable = Math.min(minutes, kept)
  const { at, lines } = series.series('all', readable)
  const [line] = lines
  const sums = series.sums(readable)
  const step = Math.ceil(readable / 30)
  const known = budgets.list()
  return {
    from: (Math.floor(now() / minuteMs) - minutes + 1) * minuteMs,
    since: Math.max(at[0]!, startedAt),
    usage: usageSums(sums),
    errors: sums.errors,
    latency: latencySums(sums.total, sums.firstByte),
    parts: {
      at: at.filter((_, index) => index % step === 0),
      unit: 'minutes',
      requests: inSteps(line!.requests, step),
      errors: inSteps(line!.errors, step),
      cost: inSteps(line!.cost, step),
    },
    top: { models: topOf(series.usageBy('model', readable)), keys: topOf(series.usageBy('key', readable)) },
    budgets: known.slice(0, maxBudgets),
    moreBudgets: Math.max(0, known.length - maxBudgets),
  }
}

/** What the ledger has of the last minutes. Rejects with 503. */
export async function ledgerOverview(
  usage: (query: UsageQuery) => Promise<readonly UsageRow[]>,
  minutes: number,
  now: number,
): Promise<OverviewUsage> {
  const from = now - minutes * minuteMs
  const parts = minutes > 48 * 60 ? daysOf(usage, from, now) : partsOf(usage, from, minutes)
  const [[all], of, top] = await Promise.all([
    callStore('ledger', () => usage({ by: [], from })),
    parts,
    topFromLedger(usage, from),
  ])
  return { from, usage: usageSums(all), parts: of, top }
}

/** What the request log has of the last minutes. Rejects with 503. */
export async function logOverview(log: ConsoleLog, minutes: number, now: number): Promise<OverviewLog> {
  const from = now - minutes * minuteMs
  const failures = await failuresOf(log, from)
  const total = new Latencies()
  const firstByte = new Latencies()
  let requests = 0
  let errors = 0
  let since = from
  let next: LogPosition | undefined
  do {
    const after = next
    const page = await callStore('log', () =>
      log.search({ from, limit: pageSize, ...(after !== undefined && { after }) }),
    )
    for (const { outcome, totalMs, firstByteMs } of page.rows) {
      requests++
      if (outcome === 'completed') total.add(totalMs)
      else if (outcome !== 'client_disconnected') errors++
      if (firstByteMs !== null) firstByte.add(firstByteMs)
    }
    next = page.next
    if (next !== undefined) since = next.at
  } while (next !== undefined && requests < maxSample)
  const isSample = next !== undefined
  return {
    from,
    since: isSample ? since : from,
    isSample,
    requests,
    errors,
    latency: latencySums(total, firstByte),
    failures,
  }
}

type LogPosition = NonNullable<Parameters<ConsoleLog['search']>[0]['after']>

const failedOutcomes = ['refused', 'upstream_failed', 'internal_error', 'gateway_closed'] as const

async function failuresOf(log: ConsoleLog, from: number): Promise<LoggedRequest[]> {
  const pages = await callStore('log', () =>
    Promise.all(failedOutcomes.map(outcome => log.search({ from, where: { outcome }, limit: maxFailures }))),
  )
  return pages
    .flatMap(({ rows }) => rows)
    .sort((one, other) => other.at - one.at)
    .slice(0, maxFailures)
}

/** Days of UTC, also those without a request. */
async function daysOf(
  usage: (query: UsageQuery) => Promise<readonly UsageRow[]>,
  from: number,
  now: number,
): Promise<OverviewParts> {
  const rows = await callStore('ledger', () => usage({ by: ['day'], from }))
  const byDay = new Map(rows.map(row => [row.by.day, row]))
  const first = Math.floor(from / dayMs) * dayMs
  const at = Array.from({ length: Math.floor((now - first) / dayMs) + 1 }, (_, day) => first + day * dayMs)
  const days = at.map(moment => usageSums(byDay.get(new Date(moment).toISOString().slice(0, 10))))
  return partsFrom(at, 'days', days)
}

/** At most twelve parts of the same length, of the same records as the sum. */
async function partsOf(
  usage: (query: UsageQuery) => Promise<readonly UsageRow[]>,
  from: number,
  minutes: number,
): Promise<OverviewParts> {
  const partMs = Math.ceil(minutes / 12) * minuteMs
  const at = Array.from(
    { length: Math.ceil((minutes * minuteMs) / partMs) },
    (_, part) => from + part * partMs,
  )
  const sums: UsageSums[] = []
  for (const start of at) {
    const [row] = await callStore('ledger', () => usage({ by: [], from: start, to: start + partMs }))
    sums.push(usageSums(row))
  }
  return partsFrom(at, partMs < hourMs ? 'minutes' : 'hours', sums)
}

function partsFrom(
  at: readonly number[],
  unit: OverviewParts['unit'],
  sums: readonly UsageSums[],
): OverviewParts {
  return { at, unit, requests: sums.map(({ requests }) => requests), cost: sums.map(({ cost }) => cost) }
}

/** What cost most first; of the same cost, what has most requests, then by name. */
function topOf(rows: readonly NamedUsage[]): NamedUsage[] {
  return rows
    .toSorted(
      (one, other) =>
        other.cost - one.cost || other.requests - one.requests || (one.name < other.name ? -1 : 1),
    )
    .slice(0, maxTop)
}

async function topFromLedger(
  usage: (query: UsageQuery) => Promise<readonly UsageRow[]>,
  from: number,
): Promise<TopUsage> {
  const [models, keys] = await callStore('ledger', () =>
    Promise.all([usage({ by: ['model'], from }), usage({ by: ['key', 'source'], from })]),
  )
  return {
    models: topOf(models.flatMap(row => namedUsage(row.by.model, row))),
    keys: topOf(keys.flatMap(row => namedUsage(row.by.key, row, row.by.source))),
  }
}

function namedUsage(
  name: string | null | undefined,
  row: UsageRow,
  source?: string | null,
): readonly NamedUsage[] {
  return name == null ? [] : [{ name, ...(source != null && { source }), ...usageSums(row) }]
}

function latencySums(total: Latencies, firstByte: Latencies): LatencySums {
  return {
    p50Ms: total.percentile(0.5),
    p95Ms: total.percentile(0.95),
    p99Ms: total.percentile(0.99),
    firstByteP50Ms: firstByte.percentile(0.5),
  }
}

function inSteps(values: readonly number[], step: number): number[] {
  return Array.from({ length: Math.ceil(values.length / step) }, (_, part) =>
    values.slice(part * step, (part + 1) * step).reduce((sum, value) => sum + value, 0),
  )
}

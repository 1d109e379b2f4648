import { setTimeout as sleep } from 'node:timers/promises'
import { localAdmissions, overAdmissions } from '../records/bounds.ts'
import { type Allowances, compareRecords } from '../records/compare.ts'
import { readCounters } from '../records/counters.ts'
import { ledgerRows, openRows } from '../records/ledger.ts'
import type { CallRecord, LedgerRow } from '../records/records.ts'
import type { Fleet } from '../servers/fleet.ts'
import { floorOf, nanoDollarsOf } from '../traffic/call.ts'
import { monotonicNow } from '../traffic/client.ts'
import type { Load } from '../traffic/load.ts'
import { floodPerSecond } from '../traffic/tenants.ts'

/** What a scenario did, and what the documentation allows because of that. */
export interface Expectations extends Allowances {
  /** How many requests of `flood` may have been admitted beyond its limit, and why. */
  readonly overAdmissions?: { readonly most: number; readonly because: string }
  /** By how many billionths of a dollar the budgets in Redis may exceed the ledger, and why. */
  readonly budget?: (results: Results) => BudgetAllowance
  /** Figures for the report. */
  readonly figures?: (results: Results) => readonly string[]
  /** What else is to hold: the differences. */
  readonly check?: (results: Results) => readonly string[]
}

export interface BudgetAllowance {
  readonly least: number
  readonly most: number
  readonly because: string
}

export interface Results {
  readonly calls: readonly CallRecord[]
  readonly rows: readonly LedgerRow[]
}

export interface Scenario {
  readonly name: string
  readonly title: string
  /** Before the load. */
  prepare?(fleet: Fleet): Promise<void>
  /** Makes trouble while the load runs. Everything works again when it resolves. */
  run(fleet: Fleet, load: Load): Promise<Expectations>
  /** After everything has been compared. */
  restore?(fleet: Fleet): Promise<void>
}

export interface ScenarioResult {
  readonly name: string
  readonly title: string
  readonly seconds: number
  readonly figures: readonly string[]
  readonly differences: readonly string[]
}

/** Of a request with a budget whose limit store, or whose ledger with its journal, did not respond in time. */
const stallCodes: readonly string[] = ['limiter_unavailable', 'ledger_unavailable']

/** How long everything may take to come to rest: an orphan of a killed process waits for two sweeps of 30 s. */
const restMs = 100_000

/** The share of calls with a budget that a store may refuse without a fault: beyond it, the machine is too busy for a run. */
export const mostStalled = 0.1
/** Up to this share, only single operations took too long. */
const fewStalled = 0.01

/** Runs a scenario under load, and compares all records of its calls. */
export async function runScenario(fleet: Fleet, scenario: Scenario): Promise<ScenarioResult> {
  const { name, title } = scenario
  const began = performance.now()
  await scenario.prepare?.(fleet)
  const before = { ...(await readCounters(fleet.redis.client)), cost: await costOf(fleet) }
  const framesBefore = await fleet.network.counts()
  const load = fleet.load(name)
  load.start()
  const expected = await scenario.run(fleet, load).finally(() => load.stop())
  const restFrom = performance.now()
  await fleet.settle(() => isAtRest(fleet, name), restMs)
  const restSeconds = (performance.now() - restFrom) / 1_000

  const { calls } = load
  const rows = await ledgerRows(fleet.postgres, name)
  const lines = fleet.lines.filter(line => line.clientRequestId?.startsWith(`${name}-`))
  const { upstream, principals } = fleet
  const marks = new Map([...upstream].filter(([mark]) => mark.startsWith(`${name}-`)))
  const codes = [...(expected.codes ?? []), ...stallCodes]
  const compared = compareRecords({ calls, rows, upstream: marks, lines, principals }, { ...expected, codes })
  const differences = [...compared.differences]
  const figures = [...compared.ends].map(([tenant, ends]) => `${tenant}: ${listed(ends)}`)
  const arrived = [...marks.values()].reduce((sum, each) => sum + each.length, 0)
  figures.push(
    `${calls.length} calls, ${rows.length} rows, ${arrived} upstream calls, ${lines.length} lines of request logs`,
  )
  if (compared.allowed.size > 0) figures.push(`allowed: ${listed(compared.allowed)}`)

  const flood = calls.filter(({ call }) => call.tenant === 'flood')
  const over = overAdmissions(flood, marks, floodPerSecond)
  const stalled =
    expected.codes === undefined
      ? calls.filter(({ end }) => end.how === 'refused' && stallCodes.includes(end.code)).length
      : 0
  const limited = calls.filter(({ call }) => call.tenant === 'acme').length
  if (stalled > limited * mostStalled)
    differences.push(`this machine is too busy: ${stalled} of ${limited} calls waited too long for a store`)
  const share = stalled / limited
  const { most, because } = expected.overAdmissions ?? overAdmissionsOf(share, (restFrom - began) / 1_000)
  figures.push(`over-admissions: ${over}, bound ${most} (${because})`)
  if (over > most)
    differences.push(`${over} requests of flood were admitted beyond its limit, at most ${most} may`)

  const after = { ...(await readCounters(fleet.redis.client)), cost: await costOf(fleet) }
  const spent = after.spent - before.spent
  const cost = after.cost - before.cost
  const results = { calls, rows }
  const budget = expected.budget?.(results) ?? { least: 0, most: 0, because: '' }
  const allowed =
    budget.because === '' ? '' : `, allowed ${budget.least} to ${budget.most} (${budget.because})`
  figures.push(`budget in Redis ${spent} nano-dollars, ledger ${cost}, difference ${spent - cost}${allowed}`)
  if (spent - cost < budget.least || spent - cost > budget.most)
    differences.push(`the budget counted ${spent - cost} nano-dollars more than the ledger${allowed}`)
  if (after.held !== 0) differences.push(`${after.held} reservations are still held in Redis`)
  for (const key of after.endless) differences.push(`${key} never expires`)

  for (const gateway of fleet.running) differences.push(...(await metricDifferences(gateway)))
  figures.push(...(expected.figures?.(results) ?? []))
  differences.push(...(expected.check?.(results) ?? []))
  const frames = await fleet.network.counts()
  const lost = frames.lost - framesBefore.lost
  figures.push(
    `at rest after ${restSeconds.toFixed(1)} s; ${frames.passed - framesBefore.passed} frames, ${lost} lost`,
  )
  await scenario.restore?.(fleet)
  return { name, title, seconds: (performance.now() - began) / 1_000, figures, differences }
}

/** Where the store works, an operation that took too long is decided by a process's own count. */
function overAdmissionsOf(
  stalled: number,
  lasted: number,
): { readonly most: number; readonly because: string } {
  if (stalled === 0) return { most: 0, because: 'no operation of a store took too long' }
  const each = stalled <= fewStalled ? 0 : lasted
  const most = localAdmissions(floodPerSecond, 4, [each, each, each, each])
  const percent = (100 * stalled).toFixed(1)
  return { most, because: `${percent} % of operations took too long: each process may count its share` }
}

/** Load on processes that have just started: what is compiled for the first time takes longer than a store may. */
export async function warmUp(fleet: Fleet): Promise<void> {
  const name = 'warm-up'
  const load = fleet.load(name)
  load.start()
  await seconds(10)
  await load.stop()
  await fleet.settle(() => isAtRest(fleet, name), restMs)
}

/** Whether the limits hold nothing, and each call that reached an upstream has a closed row. */
async function isAtRest(fleet: Fleet, prefix: string): Promise<boolean> {
  const { held } = await readCounters(fleet.redis.client)
  if (held > 0 || (await openRows(fleet.postgres)) > 0) return false
  const closed = new Set((await ledgerRows(fleet.postgres, prefix)).map(({ mark }) => mark))
  return [...fleet.upstream.keys()].every(mark => !mark.startsWith(`${prefix}-`) || closed.has(mark))
}

/** What the ledger has charged to the tenant with a budget. */
async function costOf({ postgres, principals }: Fleet): Promise<number> {
  const [row] = await postgres.query(
    `select coalesce(sum(nano_dollars), 0) as cost from sluice.requests where principal = '${principals.acme}'`,
  )
  return Number(row?.cost)
}

/** The counters of a process against the lines of its request log. */
async function metricDifferences(gateway: Fleet['running'][number]): Promise<string[]> {
  const { name, lines } = gateway
  const differences: string[] = []
  const requests = await gateway.metric('sluice_requests_total')
  if (requests !== lines.length)
    differences.push(`${name}: sluice_requests_total is ${requests}, its log has ${lines.length} lines`)
  const nano = Math.round((await gateway.metric('sluice_cost_usd_total')) * 1e9)
  const logged = lines.reduce((sum, { costUsd }) => sum + Math.round((costUsd ?? 0) * 1e9), 0)
  if (nano !== logged)
    differences.push(`${name}: sluice_cost_usd_total is ${nano} nano-dollars, its log has ${logged}`)
  return differences
}

/** Refusals that are further apart than this belong to two interruptions. */
const apartMs = 3_000

/** How long after a moment calls of the tenants without fault were still refused or not answered: `0.8 s`, or `at once`. */
export function recoveryOf(calls: readonly CallRecord[], from: number): string {
  const failedAt = calls
    .filter(({ call, end }) => (call.tenant === 'acme' || call.tenant === 'beta') && end.how !== 'completed')
    .map(({ sentAt }) => sentAt)
    .filter(sentAt => sentAt >= from)
    .sort((one, other) => one - other)
  let last = from
  for (const at of failedAt) {
    if (at - last > apartMs) break
    last = at
  }
  return last === from ? 'at once' : `${((last - from) / 1_000).toFixed(1)} s`
}

/** A process counts on its own also for the operations that time out before its circuit breaker opens, in seconds. */
export const timedOutSeconds = 1

/**
 * A reservation whose reply was lost with its connection is released by the store when it expires, with its prompt charged:
 * of requests that were refused.
 */
export function refusedBudget(calls: readonly CallRecord[]): BudgetAllowance {
  const refused = calls.filter(
    ({ call, end }) => call.tenant === 'acme' && end.how === 'refused' && stallCodes.includes(end.code),
  )
  const most = refused.reduce((sum, { call }) => sum + floorOf(call), 0)
  return {
    least: 0,
    most,
    because: `the prompts of ${refused.length} calls that were refused without the store`,
  }
}

/** More than any call costs, and than is reserved for it, in billionths of a dollar. */
export const mostPerCall = nanoDollarsOf(600, 100)

export function now(): number {
  return monotonicNow()
}

export const seconds = (count: number): Promise<void> => sleep(count * 1_000)

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ')
}

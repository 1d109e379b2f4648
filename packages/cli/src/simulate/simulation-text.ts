import type { SimulationReport, SimulationResult, TargetReport } from '@sluice/testing/simulation'
import { printable } from '../command-line/printable.ts'
import { type Column, tableText } from '../command-line/table-text.ts'

/** The simulation of one configuration. */
export interface SimulatedRun {
  /** The name of its file. */
  readonly name: string
  readonly result: SimulationResult
  readonly report: SimulationReport
}

/** Writes simulations as tables, several side by side. */
export function simulationText(runs: readonly SimulatedRun[]): string {
  return [
    sumsText(runs),
    ...statusText(runs),
    ...rateLimitedText(runs),
    targetsText(runs),
    ...unpricedText(runs),
    `seed ${runs[0]!.result.seed}, digest of the history ${runs.map(({ result }) => result.digest.slice(0, 16)).join(', ')}`,
  ].join('\n\n')
}

function sumsText(runs: readonly SimulatedRun[]): string {
  const rows: readonly (readonly [string, (report: SimulationReport) => string])[] = [
    ['requests', ({ requests }) => grouped(requests)],
    ['with retries of clients', ({ attempts }) => grouped(attempts)],
    ['answered', ({ completed }) => grouped(completed)],
    ['failed', ({ failed }) => grouped(failed)],
    ['disconnected', ({ disconnected }) => grouped(disconnected)],
    ['error rate', ({ errorRate }) => `${(errorRate * 100).toFixed(2)} %`],
    ['answers per second', ({ throughput }) => throughput.toFixed(2)],
    ['first byte p50', ({ firstMs }) => ms(firstMs.p50)],
    ['first byte p99', ({ firstMs }) => ms(firstMs.p99)],
    ['complete response p50', ({ totalMs }) => ms(totalMs.p50)],
    ['complete response p99', ({ totalMs }) => ms(totalMs.p99)],
    ['spend (USD)', spendText],
  ]
  return tableText(
    columnsOf('', runs),
    rows.map(([label, cell]) => [label, ...runs.map(({ report }) => cell(report))]),
  )
}

/** `-` if nothing that was charged has a price. */
function spendText({ spend, unpriced }: SimulationReport): string {
  if (spend === 0 && Object.keys(unpriced).length > 0) return '-'
  return spend >= 1 || spend === 0 ? spend.toFixed(2) : spend.toFixed(6)
}

function unpricedText(runs: readonly SimulatedRun[]): readonly string[] {
  const lines = runs.flatMap(({ name, report }) =>
    Object.entries(report.unpriced).map(
      ([target, calls]) =>
        `${name}: ${printable(target)} has no price: ${grouped(calls)} ${calls === 1 ? 'call is' : 'calls are'} not part of the spend.`,
    ),
  )
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function statusText(runs: readonly SimulatedRun[]): readonly string[] {
  return countsText('failures by status', runs, ({ failures }) => failures)
}

function rateLimitedText(runs: readonly SimulatedRun[]): readonly string[] {
  return countsText('429 by key', runs, ({ rateLimited }) => rateLimited)
}

function countsText(
  head: string,
  runs: readonly SimulatedRun[],
  countsOf: (report: SimulationReport) => Readonly<Record<string, number>>,
): readonly string[] {
  const names = [...new Set(runs.flatMap(({ report }) => Object.keys(countsOf(report))))].sort()
  if (names.length === 0) return []
  const rows = names.map(name => [name, ...runs.map(({ report }) => grouped(countsOf(report)[name] ?? 0))])
  return [tableText(columnsOf(head, runs), rows)]
}

function targetsText(runs: readonly SimulatedRun[]): string {
  const columns: readonly Column[] = [
    { head: 'calls of' },
    ...(runs.length > 1 ? [{ head: 'by' }] : []),
    ...['calls', 'answered', 'refused', 'broken', 'cancelled', 'tokens'].map(head => ({ head, right: true })),
  ]
  const names = [...new Set(runs.flatMap(({ report }) => report.targets.map(nameOf)))].sort()
  const rows = names.flatMap(name =>
    runs.flatMap(({ name: config, report }) => {
      const target = report.targets.find(each => nameOf(each) === name)
      if (target === undefined) return []
      const { completed, refused, unreachable, cut, cancelled } = target.calls
      const all = completed + refused + unreachable + cut + cancelled
      const cells = [
        all,
        completed,
        refused,
        unreachable + cut,
        cancelled,
        target.promptTokens + target.completionTokens,
      ]
      return [[name, ...(runs.length > 1 ? [config] : []), ...cells.map(grouped)]]
    }),
  )
  return tableText(columns, rows)
}

function columnsOf(head: string, runs: readonly SimulatedRun[]): readonly Column[] {
  return [{ head }, ...runs.map(({ name }) => ({ head: name, right: true }))]
}

function nameOf({ provider, model }: TargetReport): string {
  return `${provider}/${model}`
}

function ms(value: number): string {
  return `${grouped(Math.round(value))} ms`
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

import type { UsageDimension, UsageRow } from '@sluice/core/ledger'
import { type Column, tableText } from '../command-line/table-text.ts'

const sums: readonly Column[] = [
  { head: 'requests', right: true },
  { head: 'prompt', right: true },
  { head: 'completion', right: true },
  { head: 'cost (USD)', right: true },
]

/**
 * Usage as a table for people, and in sentences what its sums leave out.
 *
 * @param names - of keys, by their ids; one that has none is shown by its id alone.
 */
export function usageText(
  by: readonly UsageDimension[],
  rows: readonly UsageRow[],
  names: ReadonlyMap<string, string> = new Map(),
): string {
  if (rows.every(({ requests }) => requests === 0)) return 'No requests in this period.'
  const total = totalOf(rows)
  const columns: Column[] = [...by.map(head => ({ head })), ...sums]
  const lines = rows.map(row => [...by.map(name => labelled(name, row.by[name], names)), ...cells(row)])
  const last = rows.length > 1 ? [[...by.map((_, index) => (index === 0 ? 'all' : '')), ...cells(total)]] : []
  return [tableText(columns, [...lines, ...last]), ...notes(total)].join('\n')
}

function labelled(
  dimension: UsageDimension,
  value: string | null | undefined,
  names: ReadonlyMap<string, string>,
): string {
  if (value === null || value === undefined) return '-'
  const name = dimension === 'key' ? names.get(value) : undefined
  return name === undefined ? value : `${value} (${name})`
}

type Sums = Omit<UsageRow, 'by'>

function cells({ requests, promptTokens, completionTokens, cost, unpriced }: Sums): readonly string[] {
  const closed = unpriced === requests && cost === 0 ? '-' : money(cost)
  return [grouped(requests), grouped(promptTokens), grouped(completionTokens), closed]
}

function notes({ requests, unpriced, estimated, open }: Sums): readonly string[] {
  const notes = [
    ...(unpriced > 0 ? [`${of(unpriced, requests)} have no price, and are not part of the cost.`] : []),
    ...(estimated > 0
      ? [`${of(estimated, requests)} have estimated token counts, because the vendor reported none.`]
      : []),
    ...(open > 0 ? [`${of(open, requests)} are in flight, and are not part of the other sums.`] : []),
  ]
  return notes.length === 0 ? [] : ['', ...notes]
}

function of(some: number, all: number): string {
  return `${grouped(some)} of ${grouped(all)} requests`
}

function totalOf(rows: readonly UsageRow[]): Sums {
  const total = { requests: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 }
  const rest = { cost: 0, unpriced: 0, estimated: 0, open: 0 }
  const sum = { ...total, ...rest }
  for (const row of rows) for (const name of Object.keys(sum) as (keyof Sums)[]) sum[name] += row[name]
  return sum
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Prices go down to millionths of a dollar: small sums have as many digits. */
function money(usd: number): string {
  return usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(6)
}

const summedFields = [
  'requests',
  'promptTokens',
  'completionTokens',
  'cachedTokens',
  'reasoningTokens',
  'cost',
  'unpriced',
  'estimated',
  'open',
] as const satisfies readonly (keyof UsageRow)[]

/** Usage as comma-separated values (RFC 4180), with a line of heads. */
export function usageCsv(by: readonly UsageDimension[], rows: readonly UsageRow[]): string {
  const lines = rows.map(row => [
    ...by.map(name => row.by[name] ?? ''),
    ...summedFields.map(name => String(row[name])),
  ])
  return [[...by, ...summedFields], ...lines].map(line => line.map(field).join(',')).join('\r\n')
}

/** A text that a spreadsheet would take for a formula is one no more; the names in it are callers' own. */
function field(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

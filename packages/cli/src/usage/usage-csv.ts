import type { UsageDimension, UsageRow } from '@sluice/core'

const sums = [
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
    ...sums.map(name => String(row[name])),
  ])
  return [[...by, ...sums], ...lines].map(line => line.map(field).join(',')).join('\r\n')
}

/** A text that a spreadsheet would take for a formula is one no more; the names in it are callers' own. */
function field(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

import type { LoggedRequest } from '@sluice/core/store'

/** The format of an export. `jsonl`: one JSON object per line. */
export type RequestLogFormat = 'csv' | 'jsonl'

const columns = [
  'id',
  'clientRequestId',
  'at',
  'operation',
  'dialect',
  'outcome',
  'status',
  'principal',
  'source',
  'tags',
  'user',
  'authFailure',
  'model',
  'provider',
  'upstreamModel',
  'responseModel',
  'stream',
  'attempts',
  'promptTokens',
  'cachedTokens',
  'completionTokens',
  'reasoningTokens',
  'usageEstimated',
  'cost',
  'queueMs',
  'firstByteMs',
  'totalMs',
  'overheadMs',
  'cache',
  'replayed',
  'error',
  'errorStatus',
  'errorMessage',
  'hooks',
  'wouldHaveRefused',
] as const satisfies readonly (keyof LoggedRequest)[]

/** The first line of an export; an empty text for a format without one. */
export function exportHead(format: RequestLogFormat): string {
  return format === 'csv' ? `${columns.join(',')}\r\n` : ''
}

/** Returns rows in a format, each with its line break. */
export function exportRows(format: RequestLogFormat, rows: readonly LoggedRequest[]): string {
  if (format === 'jsonl') return rows.map(row => `${safeJson(row)}\n`).join('')
  return rows.map(row => `${columns.map(column => csvField(cell(row, column))).join(',')}\r\n`).join('')
}

function cell(row: LoggedRequest, column: (typeof columns)[number]): string | number | boolean | null {
  if (column === 'at') return new Date(row.at).toISOString()
  if (column === 'tags') return Object.keys(row.tags).length === 0 ? null : JSON.stringify(row.tags)
  if (column === 'attempts') return row.attempts.filter(({ called }) => called).length
  if (column === 'wouldHaveRefused') return row.wouldHaveRefused.join('; ')
  if (column === 'hooks') return row.hooks.map(({ name, outcome }) => `${name} ${outcome}`).join('; ')
  return row[column]
}

/**
 * Returns a field of RFC 4180. Callers choose names: a text that a spreadsheet would read as a formula gets a `'` in front, and
 * control characters become spaces.
 */
function csvField(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const line = value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
  // Full-width forms of the characters are read as formulas too.
  const safe = /^\s*[=+\-@＝＋－＠]/u.test(line) ? `'${line}` : line
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** JSON on one line that cannot control a terminal. */
function safeJson(row: LoggedRequest): string {
  return JSON.stringify(row).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, character =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

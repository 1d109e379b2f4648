import type { LoggedRequest } from '@sluice/core/store'
import { printable } from '../command-line/printable.ts'
import { type Column, tableText } from '../command-line/table-text.ts'

const columns: readonly Column[] = [
  { head: 'time (UTC)' },
  { head: 'status', right: true },
  { head: 'model' },
  { head: 'provider' },
  { head: 'key' },
  { head: 'ms', right: true },
  { head: 'tokens', right: true },
  { head: 'cost (USD)', right: true },
  { head: 'error' },
  { head: 'request' },
]

/** Logged requests as a table for people. */
export function logsText(rows: readonly LoggedRequest[]): string {
  if (rows.length === 0) return 'No requests match.'
  return tableText(columns, rows.map(cells))
}

function cells(row: LoggedRequest): readonly string[] {
  const { promptTokens, completionTokens } = row
  return [
    timeText(row.at),
    String(row.status),
    printable(row.model ?? '-'),
    printable(row.provider ?? '-'),
    printable(row.principal ?? '-'),
    String(Math.round(row.totalMs)),
    promptTokens === null ? '-' : `${promptTokens}+${completionTokens ?? 0}`,
    row.cost === null ? '-' : row.cost.toFixed(6),
    printable(row.error ?? row.authFailure ?? '-'),
    printable(row.id),
  ]
}

/** One logged request with all its fields: a line for each, and one for each attempt and each target that was skipped. */
export function loggedRequestText(row: LoggedRequest): string {
  const { attempts, candidates, hooks, tags, at, errorText: _, ...fields } = row
  const lines: readonly (readonly [string, string])[] = [
    ['at', new Date(at).toISOString()],
    ...Object.entries(fields)
      .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join('; ') : String(value)] as const),
    ...Object.entries(tags).map(([name, value]) => [`tag ${name}`, value] as const),
    ...hooks.map(({ name, outcome, ms }) => ['hook', `${name} ${outcome} in ${ms} ms`] as const),
    ...attempts.map(
      ({ provider, model, why, called, startMs, ms, status, error, errorMessage }) =>
        [
          'attempt',
          [
            `${provider}/${model} (${why}${called ? '' : ', not called'}) at ${startMs} ms for ${ms} ms`,
            ...[status, error, errorMessage].filter(part => part !== null),
          ].join(' '),
        ] as const,
    ),
    ...candidates.flatMap(({ provider, model, skipped }) =>
      skipped === undefined
        ? []
        : [
            [
              'skipped',
              [`${provider}/${model}:`, skipped.why, skipped.detail].filter(Boolean).join(' '),
            ] as const,
          ],
    ),
  ]
  return lines.map(([name, text]) => `${printable(name).padEnd(18)} ${printable(text, 300)}`).join('\n')
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

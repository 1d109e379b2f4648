import type { UsageRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { CallerName } from '../parts/caller-name.tsx'

/** As many rows as a page shows: callers choose the names of users. */
const maxShown = 500

/** Sums by day and by one more thing, newest day first and of a day what cost most, and what they cost in all. */
export function LedgerTable({
  rows,
  by,
  leftOut,
}: {
  rows: readonly UsageRow[]
  by: string
  /** The number of further rows, of less cost. */
  leftOut: number
}) {
  const of = (row: UsageRow, dimension: string): string =>
    (row.by as Readonly<Record<string, string | null>>)[dimension] ?? 'none'
  const sorted = [...rows].sort(
    (a, b) =>
      of(b, 'day').localeCompare(of(a, 'day')) || b.cost - a.cost || of(a, by).localeCompare(of(b, by)),
  )
  return (
    <div class="table-box">
      <table class="table">
        <caption class="hidden">Usage by day</caption>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Group</th>
            <th scope="col" class="number">
              Requests
            </th>
            <th scope="col" class="number less">
              Tokens in
            </th>
            <th scope="col" class="number less">
              Tokens out
            </th>
            <th scope="col" class="number">
              Cost
            </th>
            <th scope="col" class="number less">
              Unpriced
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, maxShown).map(row => (
            <tr key={`${of(row, 'day')} ${row.by.source ?? ''} ${of(row, by)}`}>
              <td class="day">{of(row, 'day')}</td>
              <td class="name">
                {by === 'key' ? (
                  <CallerName id={of(row, by)} source={row.by.source ?? undefined} withId />
                ) : (
                  of(row, by)
                )}
              </td>
              <td class="number">
                {count(row.requests)}
                {row.open > 0 && <span class="muted"> ({count(row.open)} open)</span>}
              </td>
              <td class="number less">{count(row.promptTokens)}</td>
              <td class="number less">{count(row.completionTokens)}</td>
              <td class="number">{spent(row.cost, row.unpriced)}</td>
              <td class="number less">{count(row.unpriced)}</td>
            </tr>
          ))}
        </tbody>
        {rows.length > 1 && leftOut === 0 && (
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                All days
              </th>
              <td class="number">{count(sumOf(rows, 'requests'))}</td>
              <td class="number less">{count(sumOf(rows, 'promptTokens'))}</td>
              <td class="number less">{count(sumOf(rows, 'completionTokens'))}</td>
              <td class="number">{spent(sumOf(rows, 'cost'), sumOf(rows, 'unpriced'))}</td>
              <td class="number less">{count(sumOf(rows, 'unpriced'))}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {rows.length > maxShown && (
        <p class="muted table-note">
          {count(rows.length - maxShown + leftOut)} older or cheaper rows are not shown.{' '}
          <code>sluice usage</code> has all of them.
        </p>
      )}
      {rows.length === 0 && <p class="muted table-note">The ledger has no usage in this period.</p>}
    </div>
  )
}

/** The sum of a column. */
export function sumOf(
  rows: readonly UsageRow[],
  name: 'requests' | 'promptTokens' | 'completionTokens' | 'cost' | 'unpriced',
): number {
  return rows.reduce((sum, row) => sum + row[name], 0)
}

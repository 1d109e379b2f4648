import type { UsageRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { CallerName } from '../parts/caller-name.tsx'

/** Sums by day and by one more thing, newest day first. */
export function LedgerTable({ rows, by }: { rows: readonly UsageRow[]; by: string }) {
  const of = (row: UsageRow, dimension: string): string =>
    (row.by as Readonly<Record<string, string | null>>)[dimension] ?? 'none'
  const sorted = [...rows].sort(
    (a, b) => of(b, 'day').localeCompare(of(a, 'day')) || of(a, by).localeCompare(of(b, by)),
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
          {sorted.map(row => (
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
      </table>
      {rows.length === 0 && <p class="muted table-note">The ledger has no usage in this period.</p>}
    </div>
  )
}

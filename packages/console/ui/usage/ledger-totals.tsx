import type { UsageRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { sumOf } from './ledger-table.tsx'
import { Total } from './totals.tsx'

/** The sums of all rows, large; nothing if rows are missing. */
export function LedgerTotals({ rows, leftOut }: { rows: readonly UsageRow[]; leftOut: number }) {
  if (leftOut > 0) return null
  const [unpriced, input, output] = [
    sumOf(rows, 'unpriced'),
    sumOf(rows, 'promptTokens'),
    sumOf(rows, 'completionTokens'),
  ]
  return (
    <dl class="totals ledger-totals">
      <Total
        name="Cost"
        value={spent(sumOf(rows, 'cost'), unpriced)}
        note={unpriced === 0 ? '' : `${count(unpriced)} without a price`}
      />
      <Total name="Requests" value={count(sumOf(rows, 'requests'))} note="" />
      <Total name="Tokens" value={count(input + output)} note={`${count(input)} in, ${count(output)} out`} />
    </dl>
  )
}

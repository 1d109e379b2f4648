import type { SeriesLine } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { sum } from './sum.ts'

/** The sums over all lines, large. */
export function Totals({ lines }: { lines: readonly SeriesLine[] }) {
  const over = (values: (line: SeriesLine) => readonly number[]) => sum(lines.map(line => sum(values(line))))
  const requests = over(line => line.requests)
  const errors = over(line => line.errors)
  const unpriced = over(line => line.unpriced)
  const share = requests === 0 ? '' : `${((100 * errors) / requests).toFixed(1)} %`
  return (
    <dl class="totals">
      <Total name="Requests" value={count(requests)} note="completed and failed" />
      <Total name="Errors" value={count(errors)} note={share} />
      <Total
        name="Tokens"
        value={count(over(line => line.promptTokens) + over(line => line.completionTokens))}
        note={`${count(over(line => line.promptTokens))} in, ${count(over(line => line.completionTokens))} out`}
      />
      <Total
        name="Cost"
        value={spent(
          over(line => line.cost),
          unpriced,
        )}
        note={unpriced === 0 ? '' : `${count(unpriced)} without a price`}
      />
    </dl>
  )
}

/** One sum, large. */
export function Total({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span class="muted small">{note}</span>
      </dd>
    </div>
  )
}

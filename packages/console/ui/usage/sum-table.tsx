import type { Series } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { span } from '../format/span.ts'
import { lineName } from './line-name.ts'
import { sum } from './sum.ts'

const titles: Readonly<Record<Series['by'], string>> = {
  model: 'Model',
  key: 'Key',
  team: 'Team',
  all: 'All',
}

/** The sums of each line; the legend of the charts. */
export function SumTable({
  series: { by, lines },
  marked,
  onMark,
}: {
  series: Series
  marked: string | undefined
  onMark(name: string | undefined): void
}) {
  return (
    <div class="table-box">
      <table class="table sums">
        <caption class="hidden">Sums, the legend of the charts below</caption>
        <thead>
          <tr>
            <th scope="col">{titles[by]}</th>
            <th scope="col" class="number">
              Requests
            </th>
            <th scope="col" class="number">
              Errors
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
              Slowest p95
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            <tr
              key={lineName(line)}
              class={marked === lineName(line) ? 'marked' : undefined}
              onMouseEnter={() => onMark(lineName(line))}
              onMouseLeave={() => onMark(undefined)}
            >
              <th scope="row">
                <span class={`swatch series-${at}`} aria-hidden="true" />
                <span class="name">{lineName(line)}</span>
              </th>
              <td class="number">{count(sum(line.requests))}</td>
              <td class="number">{count(sum(line.errors))}</td>
              <td class="number less">{count(sum(line.promptTokens))}</td>
              <td class="number less">{count(sum(line.completionTokens))}</td>
              <td class="number">{spent(sum(line.cost), sum(line.unpriced))}</td>
              <td class="number less">{span(slowest(line.p95Ms))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length === 0 && <p class="muted table-note">No requests in this period.</p>}
    </div>
  )
}

function slowest(values: readonly (number | null)[]): number | undefined {
  const known = values.filter(value => value !== null)
  return known.length === 0 ? undefined : Math.max(...known)
}

import { useState } from 'preact/hooks'
import type { OverviewParts } from '../../src/api.ts'
import { count, shortCount } from '../format/count.ts'
import { money, shortMoney } from '../format/money.ts'
import { Chart } from '../usage/chart.tsx'
import { chartUnits } from '../usage/chart-units.ts'

/** Spend and requests over the period, with one cursor. */
export function OverviewCharts({ parts: { at, unit, cost, requests, errors } }: { parts: OverviewParts }) {
  const [cursor, setCursor] = useState<number>()
  const shared = { at, cursor, onCursor: setCursor, marked: undefined, unit: chartUnits[unit] }
  const requestLines =
    errors === undefined
      ? [{ name: 'Requests', values: requests }]
      : [
          { name: 'Without an error', values: requests.map((all, part) => all - errors[part]!) },
          { name: 'Errors', values: errors },
        ]
  return (
    <div class="charts overview-charts">
      <Chart
        {...shared}
        title="Spend"
        kind="bars"
        lines={[{ name: 'Spend', values: cost }]}
        text={money}
        axis={shortMoney}
      />
      <Chart {...shared} title="Requests" kind="bars" lines={requestLines} text={count} axis={shortCount} />
    </div>
  )
}

import { useState } from 'preact/hooks'
import type { Series, SeriesLine } from '../../src/api.ts'
import { count, shortCount } from '../format/count.ts'
import { money, shortMoney } from '../format/money.ts'
import { Chart } from './chart.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { lineName } from './line-name.ts'
import { SumTable } from './sum-table.tsx'
import { Totals } from './totals.tsx'

/** Four charts with one cursor over the same minutes, and the sums of all of them. */
export function SeriesCharts({ series }: { series: Series }) {
  const [cursor, setCursor] = useState<number>()
  const [marked, setMarked] = useState<string>()
  const of = (values: (line: SeriesLine) => readonly (number | null)[]) =>
    series.lines.map(line => ({ name: lineName(line), values: values(line) }))
  const shared = { at: series.at, cursor, onCursor: setCursor, marked }
  return (
    <>
      <Totals lines={series.lines} />
      <SumTable series={series} marked={marked} onMark={setMarked} />
      <div class="charts">
        <Chart
          {...shared}
          title="Tokens"
          kind="bars"
          lines={of(line => line.promptTokens.map((prompt, at) => prompt + line.completionTokens[at]!))}
          text={count}
          axis={shortCount}
        />
        <Chart
          {...shared}
          title="Cost"
          kind="bars"
          lines={of(line => line.cost)}
          text={money}
          axis={shortMoney}
        />
        <Chart
          {...shared}
          title="Errors"
          kind="bars"
          lines={of(line => line.errors)}
          text={count}
          axis={shortCount}
        />
        <LatencyChart lines={series.lines} shared={shared} />
      </div>
    </>
  )
}

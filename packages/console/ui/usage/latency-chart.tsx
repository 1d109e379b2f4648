import { useState } from 'preact/hooks'
import type { SeriesLine } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { Choice } from '../parts/choice.tsx'
import { Chart, type SharedChart } from './chart.tsx'
import { lineName } from './line-name.ts'

type Latency = 'p50Ms' | 'p95Ms' | 'p99Ms' | 'firstByteP50Ms'

const titles: Readonly<Record<Latency, string>> = {
  p50Ms: 'Latency, p50',
  p95Ms: 'Latency, p95',
  p99Ms: 'Latency, p99',
  firstByteP50Ms: 'Time to first byte, p50',
}

/** How long answers took: the half of them, nearly all, or until they began. */
export function LatencyChart({ lines, shared }: { lines: readonly SeriesLine[]; shared: SharedChart }) {
  const [latency, setLatency] = useState<Latency>('p95Ms')
  return (
    <Chart
      {...shared}
      title={titles[latency]}
      kind="line"
      lines={lines.map(line => ({ name: lineName(line), values: line[latency] }))}
      text={span}
      axis={span}
    >
      <Choice<Latency>
        label="Percentile"
        bare
        value={latency}
        options={[
          ['p50Ms', 'p50'],
          ['p95Ms', 'p95'],
          ['p99Ms', 'p99'],
          ['firstByteP50Ms', 'First byte'],
        ]}
        onChange={setLatency}
      />
    </Chart>
  )
}

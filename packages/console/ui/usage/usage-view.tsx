import { useState } from 'preact/hooks'
import type { Series } from '../../src/api.ts'
import { Choice } from '../parts/choice.tsx'
import { Empty } from '../parts/empty.tsx'
import { FirstRequest } from '../parts/first-request.tsx'
import { Loading } from '../parts/loading.tsx'
import { callerNames } from '../session/key-names.ts'
import { useSession } from '../session/session.ts'
import { useKeyNames } from '../session/use-key-names.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { LedgerSection } from './ledger-section.tsx'
import { SeriesCharts } from './series-charts.tsx'
import { sum } from './sum.ts'

const everyMs = 5_000

/** What was used: minute by minute as this process saw it, and day by day as the ledger has it. */
export function UsageView() {
  const { api, about } = useSession()
  const names = useKeyNames()
  const [by, setBy] = useState<Series['by']>('model')
  const [minutes, setMinutes] = useState('60')
  const series = useLoaded(signal => api.series(by, minutes, signal), [api, by, minutes], everyMs)
  return (
    <>
      <div class="view-head">
        <h1>Usage</h1>
        <Choice<Series['by']>
          label="Group by"
          value={by}
          options={[
            ['model', 'Model'],
            ['key', 'Key'],
            ['team', 'Team'],
            ['all', 'Total'],
          ]}
          onChange={setBy}
        />
        <Choice
          label="Period"
          value={minutes}
          options={[
            ['15', '15 minutes'],
            ['60', '1 hour'],
            ['', 'All'],
          ]}
          onChange={setMinutes}
        />
      </div>
      <Loading what="usage" loaded={series}>
        {value =>
          value.lines.every(({ requests }) => sum(requests) === 0) ? (
            <>
              <Empty title="No requests in this period">
                The sums by minute are from the memory of this process, since it started.
              </Empty>
              <FirstRequest />
            </>
          ) : (
            <SeriesCharts series={namedSeries(value, names)} />
          )
        }
      </Loading>
      {about.ledger && <LedgerSection />}
    </>
  )
}

/** The series with the names of keys where their ids are. */
function namedSeries(series: Series, names: ReadonlyMap<string, string>): Series {
  if (series.by !== 'key') return series
  const texts = callerNames(
    series.lines.map(({ name, kind, source }) => ({ id: name, source: kind === 'name' ? source : kind })),
    names,
  )
  return {
    ...series,
    lines: series.lines.map((line, at) => (line.kind === 'name' ? { ...line, name: texts[at]! } : line)),
  }
}

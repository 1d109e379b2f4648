import type { Overview } from '../../src/api.ts'
import { Choice } from '../parts/choice.tsx'
import { FirstRequest } from '../parts/first-request.tsx'
import { Loading } from '../parts/loading.tsx'
import { periodOptions, periods } from '../parts/periods.ts'
import { useSession } from '../session/session.ts'
import { hrefOf, replaceLocation, searchOf } from '../shell/location.ts'
import { type Loaded, useLoaded } from '../state/use-loaded.ts'
import { AlertSummary } from './alert-summary.tsx'
import { BudgetBars } from './budget-bars.tsx'
import { FailureList } from './failure-list.tsx'
import { OverviewCharts } from './overview-charts.tsx'
import { OverviewTotals } from './overview-totals.tsx'
import { sourcesFor } from './sources.ts'
import { TargetSummary } from './target-summary.tsx'
import { TopLists } from './top-lists.tsx'

const defaultPeriod = '1h'
const memoryMs = 5_000
const databaseMs = 30_000

/** The start page: what the gateway did in a period that ends now, what it costs, and what needs attention. */
export function OverviewView({ search }: { search: string }) {
  const given = new URLSearchParams(search).get('window') ?? ''
  const period = Object.hasOwn(periods, given) ? given : defaultPeriod
  return (
    <>
      <div class="view-head">
        <h1>Overview</h1>
        <Choice
          label="Period"
          value={period}
          options={periodOptions}
          onChange={window => replaceLocation(hrefOf('overview', undefined, searchOf({ window })))}
        />
      </div>
      {/* Figures of another period are not shown while these are loaded. */}
      <PeriodOverview key={period} period={period} />
    </>
  )
}

function PeriodOverview({ period }: { period: string }) {
  const { api } = useSession()
  const minutes = periods[period]!.ms / 60_000
  const memory = useLoaded(signal => api.overview(minutes, signal), [api, minutes], memoryMs)
  return (
    <Loading what="the overview" loaded={memory}>
      {value => <Figures memory={value} minutes={minutes} period={period} />}
    </Loading>
  )
}

function Figures({ memory, minutes, period }: { memory: Overview; minutes: number; period: string }) {
  const { api, about } = useSession()
  const { usage: usageSource, outcomes: outcomeSource } = sourcesFor(memory, about)
  const ledger = useLoaded(
    async signal => (usageSource === 'ledger' ? api.ledgerOverview(minutes, signal) : undefined),
    [api, minutes, usageSource],
    databaseMs,
  )
  const log = useLoaded(
    async signal => (outcomeSource === 'log' ? api.logOverview(minutes, signal) : undefined),
    [api, minutes, outcomeSource],
    databaseMs,
  )
  const usage = usageSource === 'ledger' ? ledger.value : memory
  const outcomes = outcomeSource === 'log' ? log.value : { ...memory, requests: memory.usage.requests }
  const isEmpty =
    usage !== undefined && outcomes !== undefined && usage.usage.requests === 0 && outcomes.requests === 0
  return (
    <>
      <LoadError what="the ledger" loaded={ledger} />
      <LoadError what="the request log" loaded={log} />
      <OverviewTotals
        memory={memory}
        usage={usage?.usage}
        outcomes={outcomes}
        log={outcomeSource === 'log' ? log.value : undefined}
        usageSource={usageSource}
        outcomeSource={outcomeSource}
      />
      {isEmpty ? (
        <FirstRequest />
      ) : (
        usage !== undefined && (
          <>
            <OverviewCharts parts={usage.parts} />
            <TopLists top={usage.top} source={usageSource} period={period} />
          </>
        )
      )}
      <div class="overview-columns">
        <div class="overview-column">
          <TargetSummary />
          <FailureList
            since={memory.from}
            logged={outcomeSource === 'log' ? log.value?.failures : undefined}
            source={outcomeSource}
            failed={log.error !== undefined}
          />
        </div>
        <div class="overview-column">
          <BudgetBars budgets={memory.budgets} more={memory.moreBudgets} />
          {about.alerts && <AlertSummary />}
        </div>
      </div>
    </>
  )
}

/** Says why figures are missing; what was loaded before stays. */
function LoadError({ what, loaded }: { what: string; loaded: Loaded<unknown> }) {
  if (loaded.error === undefined) return null
  return (
    <Loading what={what} loaded={loaded}>
      {() => null}
    </Loading>
  )
}

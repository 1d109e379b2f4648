import type { ComponentChildren } from 'preact'
import type { LatencySums, Overview, OverviewLog, UsageSums } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { span } from '../format/span.ts'
import { Moment } from '../parts/moment.tsx'
import type { OverviewSources } from './sources.ts'

interface Outcomes {
  readonly requests: number
  readonly errors: number
  readonly latency: LatencySums
}

/** The sums of the period, large, and where they come from. `undefined`: not loaded yet. */
export function OverviewTotals({
  memory,
  usage,
  outcomes,
  log,
  usageSource,
  outcomeSource,
}: {
  memory: Overview
  usage: UsageSums | undefined
  outcomes: Outcomes | undefined
  log: OverviewLog | undefined
  usageSource: OverviewSources['usage']
  outcomeSource: OverviewSources['outcomes']
}) {
  return (
    <>
      <dl class="totals overview-totals">
        <Total name="Spend" value={usage && spent(usage.cost, usage.unpriced)}>
          {usage && usage.unpriced > 0 && `${count(usage.unpriced)} without a price`}
        </Total>
        <Total name="Requests" value={usage && count(usage.requests)}>
          {usage && `${count(usage.promptTokens + usage.completionTokens)} tokens`}
        </Total>
        <Total
          name="Errors"
          value={outcomes && count(outcomes.errors)}
          isBad={outcomes !== undefined && outcomes.errors > 0}
        >
          {outcomes && outcomes.requests > 0 && shareText(outcomes, usage?.requests, log?.isSample === true)}
        </Total>
        <div>
          <dt>Latency</dt>
          <dd class="percentiles">
            {(['p50Ms', 'p95Ms', 'p99Ms'] as const).map(name => (
              <span key={name}>
                <strong>{outcomes === undefined ? '…' : span(outcomes.latency[name])}</strong>
                <span class="muted small">{name.slice(0, -2)}</span>
              </span>
            ))}
          </dd>
        </div>
      </dl>
      <p class="muted small overview-source">
        {usageSource === outcomeSource ? (
          <MemorySource memory={memory} what="All figures" />
        ) : (
          <>
            {usageSource === 'ledger' ? (
              'Spend and requests are from the ledger, which has no rejected requests. '
            ) : (
              <MemorySource memory={memory} what="Spend and requests" />
            )}
            {outcomeSource === 'log' ? (
              <LogSource log={log} />
            ) : (
              <MemorySource memory={memory} what="Errors and latency" />
            )}
          </>
        )}
      </p>
    </>
  )
}

function Total({
  name,
  value,
  isBad = false,
  children,
}: {
  name: string
  value: string | undefined
  isBad?: boolean
  children: ComponentChildren
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong class={isBad ? 'bad-text' : undefined}>{value ?? '…'}</strong>
        <span class="muted small">{children}</span>
      </dd>
    </div>
  )
}

/** `shown`: the number of requests beside it, which may be of another source. */
function shareText({ errors, requests }: Outcomes, shown: number | undefined, isSample: boolean): string {
  const share = `${((100 * errors) / requests).toFixed(1)} %`
  if (isSample) return `${share} of the newest ${count(requests)}`
  return shown === undefined || shown === requests ? share : `${share} of ${count(requests)}`
}

/** Of a process that started within the period, or keeps less of it, the figures are of a shorter time. */
function MemorySource({ memory: { from, since }, what }: { memory: Overview; what: string }) {
  return (
    <>
      {what} are from the memory of this process
      {since > from && (
        <>
          , which has nothing before <Moment at={since} date />
        </>
      )}
      .{' '}
    </>
  )
}

function LogSource({ log }: { log: OverviewLog | undefined }) {
  return (
    <>
      Errors and latency are from the request log
      {log?.isSample === true && (
        <>
          : of its newest {count(log.requests)} requests, since <Moment at={log.since} date />
        </>
      )}
      .
    </>
  )
}

import type { LoggedRequest, RequestRow } from '../../src/api.ts'
import { loggedDetail } from '../log/logged-detail.ts'
import { Moment } from '../parts/moment.tsx'
import { errorText } from '../requests/error-text.ts'
import { OutcomeMark } from '../requests/outcome-mark.tsx'
import { useSession } from '../session/session.ts'
import { hrefOf } from '../shell/location.ts'
import { useStore } from '../state/use-store.ts'
import type { OverviewSources } from './sources.ts'

const maxShown = 8
const notFailed: ReadonlySet<string> = new Set(['running', 'completed', 'client_disconnected'])

/** The latest requests that were rejected or failed: of the request log, or those that this process has in memory. */
export function FailureList({
  since,
  logged,
  source,
  failed,
}: {
  since: number
  logged: readonly LoggedRequest[] | undefined
  source: OverviewSources['outcomes']
  /** Whether the request log does not respond. */
  failed: boolean
}) {
  const { about, feed } = useSession()
  const { rows: live } = useStore(feed.state)
  const rows =
    source === 'log'
      ? logged?.map(row => loggedDetail(row, about.teamTag))
      : live?.filter(({ outcome, at }) => !notFailed.has(outcome) && at >= since).slice(0, maxShown)
  const view = source === 'log' ? 'log' : 'requests'
  return (
    <section class="card overview-part" aria-labelledby="failures-title">
      <div class="part-head">
        <h2 id="failures-title">Latest failures</h2>
        <a href={hrefOf(view)}>{source === 'log' ? 'Request log' : 'All requests'}</a>
      </div>
      {rows === undefined ? (
        <p class="muted">{failed ? 'Not known: the request log does not respond.' : 'Loading failures …'}</p>
      ) : rows.length === 0 ? (
        <p class="muted">
          No request failed in this period
          {source === 'memory' && ', of those that this process has in memory'}.
        </p>
      ) : (
        <ul class="failures">
          {rows.map(row => (
            <Failure key={row.id} row={row} href={hrefOf(view, row.id)} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Failure({ row, href }: { row: RequestRow; href: string }) {
  const { id, at, model, error, provider } = row
  return (
    <li class="failure" data-id={id}>
      <OutcomeMark request={row} />
      <a class="row-link name" href={href}>
        {model ?? 'No model'}
        <span class="hidden"> Request {id}</span>
      </a>
      <span class="muted small">
        <Moment at={at} date />
      </span>
      {error !== undefined && (
        <span class="muted small failure-error name">
          {errorText(error)}
          {provider !== undefined && `, ${provider}`}
        </span>
      )}
    </li>
  )
}

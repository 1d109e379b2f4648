import type { AlertRow } from '../../src/api.ts'
import { Empty } from '../parts/empty.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { deliveryText, kindText } from './alert-labels.ts'
import { AlertText } from './alert-text.tsx'

const everyMs = 5_000

/** The latest alerts: what each is about, when it was sent, and whether it was delivered. */
export function AlertsView() {
  const { api } = useSession()
  const alerts = useLoaded(signal => api.alerts(signal), [api], everyMs)
  return (
    <>
      <div class="view-head">
        <h1>Alerts</h1>
        <p class="muted">The latest 100 of this process.</p>
      </div>
      <Loading what="the alerts" loaded={alerts}>
        {rows =>
          rows.length === 0 ? (
            <Empty title="No alerts yet">
              Budgets, error rate, latency and targets that are down are shown here once they are alerts.
            </Empty>
          ) : (
            <ul class="alerts">
              {rows.map(row => (
                <AlertItem key={row.id} row={row} />
              ))}
            </ul>
          )
        }
      </Loading>
    </>
  )
}

const looks: Readonly<Record<AlertRow['delivery'], readonly [look: string, sign: string]>> = {
  sending: ['accent', '●'],
  delivered: ['good', '✓'],
  failed: ['bad', '✕'],
  no_webhooks: ['quiet', '–'],
}

function AlertItem({ row }: { row: AlertRow }) {
  const { kind, at, delivery, failures } = row
  const [look, sign] = looks[delivery] ?? ['quiet', '?']
  return (
    <li class="card alert" data-kind={kind}>
      <p class="alert-head">
        <b>{kindText(kind)}</b>
        <StateMark look={look} sign={sign}>
          {deliveryText(row)}
        </StateMark>
        <span class="muted small push">
          <Moment at={at} date />
        </span>
      </p>
      <p class="alert-text">
        <AlertText row={row} />
      </p>
      {failures.map((failure, at) => (
        <p key={at} class="small bad-text">
          {failure}
        </p>
      ))}
    </li>
  )
}

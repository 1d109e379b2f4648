import { kindText } from '../alerts/alert-labels.ts'
import { AlertText } from '../alerts/alert-text.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { useSession } from '../session/session.ts'
import { hrefOf } from '../shell/location.ts'
import { useLoaded } from '../state/use-loaded.ts'

const everyMs = 10_000
const maxShown = 3

/** The latest alerts of this process. */
export function AlertSummary() {
  const { api } = useSession()
  const alerts = useLoaded(signal => api.alerts(signal), [api], everyMs)
  return (
    <section class="card overview-part" aria-labelledby="alerts-title">
      <div class="part-head">
        <h2 id="alerts-title">Alerts</h2>
        <a href={hrefOf('alerts')}>All alerts</a>
      </div>
      <Loading what="the alerts" loaded={alerts}>
        {rows =>
          rows.length === 0 ? (
            <p class="muted">None since this process started.</p>
          ) : (
            <ul class="alert-lines">
              {rows.slice(0, maxShown).map(row => (
                <li key={row.id}>
                  <b>{kindText(row.kind)}</b>{' '}
                  <span class="muted small">
                    <Moment at={row.at} date />
                  </span>
                  <span class="alert-text small">
                    <AlertText row={row} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  )
}

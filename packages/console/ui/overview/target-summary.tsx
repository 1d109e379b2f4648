import type { RouteRow, TargetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { Loading } from '../parts/loading.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { TargetState } from '../routes/target-state.tsx'
import { useSession } from '../session/session.ts'
import { hrefOf } from '../shell/location.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { useStore } from '../state/use-store.ts'

const everyMs = 5_000
const maxShown = 6

/** How many targets are available, and those that are not. */
export function TargetSummary() {
  const { api, feed } = useSession()
  const { routeChanges } = useStore(feed.state)
  const routes = useLoaded(signal => api.routes(signal), [api, routeChanges], everyMs)
  return (
    <section class="card overview-part" aria-labelledby="targets-title">
      <div class="part-head">
        <h2 id="targets-title">Targets</h2>
        <a href={hrefOf('routes')}>All targets</a>
      </div>
      <Loading what="the targets" loaded={routes}>
        {models => <Targets targets={targetsOf(models)} />}
      </Loading>
    </section>
  )
}

function Targets({ targets }: { targets: readonly TargetRow[] }) {
  const failing = targets.filter(({ state }) => state !== 'closed')
  const available = targets.length - failing.length
  if (targets.length === 0) return <p class="muted">The gateway's route does not list its models.</p>
  return (
    <>
      <p>
        {failing.length === 0 ? (
          <StateMark look="quiet" sign="●">
            {targets.length === 1 ? 'The target is available' : `All ${count(targets.length)} are available`}
          </StateMark>
        ) : (
          <StateMark look="bad" sign="✕">
            {count(available)} of {count(targets.length)} are available
          </StateMark>
        )}
      </p>
      {failing.length > 0 && (
        <ul class="failing-targets">
          {failing.slice(0, maxShown).map(target => (
            <li class="failing-target" key={`${target.provider} ${target.model}`} data-state={target.state}>
              <span class="name">
                {target.provider} <span class="muted">/</span> {target.model}
              </span>
              <span>
                <TargetState target={target} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {failing.length > maxShown && (
        <p class="muted small">{count(failing.length - maxShown)} more are not available.</p>
      )}
      <p class="muted small">Live state of this process.</p>
    </>
  )
}

/** A target can serve several models: it is counted once, and the worst comes first. */
function targetsOf(models: readonly RouteRow[]): readonly TargetRow[] {
  const all = new Map<string, TargetRow>()
  for (const { targets } of models)
    for (const target of targets) all.set(JSON.stringify([target.provider, target.model]), target)
  const order: readonly TargetRow['state'][] = ['open', 'half_open', 'cooldown', 'closed']
  return [...all.values()].sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state))
}

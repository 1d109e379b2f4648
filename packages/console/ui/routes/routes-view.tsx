import { Empty } from '../parts/empty.tsx'
import { FirstRequest } from '../parts/first-request.tsx'
import { Loading } from '../parts/loading.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { useStore } from '../state/use-store.ts'
import { HookSection } from './hook-section.tsx'
import { RouteTable } from './route-table.tsx'

const everyMs = 2_000

/** Each model with its targets and their health. */
export function RoutesView() {
  const { about, api, feed } = useSession()
  const { routeChanges } = useStore(feed.state)
  const routes = useLoaded(signal => api.routes(signal), [api, routeChanges], everyMs)
  return (
    <>
      <div class="view-head">
        <h1>Routes</h1>
        <p class="muted">
          Live state of this process.
          {about.chat &&
            ' A test sends one request of at most 16 output tokens as the caller \u201cconsole\u201d: it is charged and logged like any other.'}
        </p>
      </div>
      <Loading what="the routes" loaded={routes}>
        {models =>
          models.length === 0 ? (
            <>
              <Empty title="No models">
                The gateway's route does not list its models. Requests name a model that it knows:
              </Empty>
              <FirstRequest model="your-model" />
            </>
          ) : (
            <RouteTable models={models} tests={about.chat} />
          )
        }
      </Loading>
      {about.hooks && <HookSection />}
    </>
  )
}

import { useEffect, useRef } from 'preact/hooks'
import type { RequestRow } from '../../src/api.ts'
import { Loading } from '../parts/loading.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { RequestFacts } from './request-facts.tsx'

/** One request in full. It is asked for again when something new is known of it. */
export function RequestPanel({
  id,
  row,
  closeHref,
}: {
  id: string
  row: RequestRow | undefined
  closeHref: string
}) {
  const { api } = useSession()
  const running = row?.outcome === 'running'
  const detail = useLoaded(signal => api.request(id, signal), [api, id, row], running ? 1000 : undefined)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <section class="request-panel" aria-labelledby="request-title">
      <div class="view-head">
        <h2 id="request-title" ref={title} tabIndex={-1}>
          Request
        </h2>
        <a class="button quiet" href={closeHref}>
          Close
        </a>
      </div>
      <Loading what="the request" loaded={detail}>
        {value => <RequestFacts request={value} />}
      </Loading>
    </section>
  )
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RequestRow } from '../../src/api.ts'
import { Empty } from '../parts/empty.tsx'
import { FirstRequest } from '../parts/first-request.tsx'
import { useSession } from '../session/session.ts'
import { hrefOf, replaceLocation } from '../shell/location.ts'
import { useStore } from '../state/use-store.ts'
import { ConnectionState } from './connection-state.tsx'
import { RequestFilter } from './request-filter.tsx'
import { RequestList } from './request-list.tsx'
import { RequestPanel } from './request-panel.tsx'
import { matchesQuery, type RequestQuery, requestQuery, requestSearch } from './request-query.ts'
import { useReturnFocus } from './use-return-focus.ts'

/** Requests as they happen, and one of them in full. */
export function RequestsView({ open, search }: { open: string | undefined; search: string }) {
  const { feed, names } = useSession()
  const { rows, connection } = useStore(feed.state)
  const keyNames = useStore(names.state)
  const query = useMemo(() => requestQuery(search), [search])
  const setQuery = (next: RequestQuery) => replaceLocation(hrefOf('requests', open, requestSearch(next)))
  const [held, setHeld] = useState<readonly RequestRow[]>()
  const list = useRef<HTMLElement>(null)
  useReturnFocus(list, 'requests', open)
  useEffect(() => {
    names.want(rows?.flatMap(({ key, source }) => (key === undefined ? [] : [{ id: key, source }])) ?? [])
  }, [rows])
  const shown = held ?? rows
  const matching = useMemo(
    () => shown?.filter(row => matchesQuery(row, query, keyNames)) ?? [],
    [shown, query, keyNames],
  )
  const known = new Set(held?.map(({ id }) => id))
  const newer = held === undefined ? 0 : (rows?.filter(({ id }) => !known.has(id)).length ?? 0)
  return (
    <div class={open === undefined ? 'requests' : 'requests with-panel'}>
      <section class="request-side" ref={list} aria-labelledby="requests-title">
        <div class="view-head">
          <h1 id="requests-title" tabIndex={-1}>
            Requests
          </h1>
          <ConnectionState connection={connection} paused={held !== undefined} newer={newer} />
          <button
            class="button"
            type="button"
            aria-pressed={held !== undefined}
            onClick={() => setHeld(held === undefined ? rows : undefined)}
          >
            {held === undefined ? 'Pause' : 'Resume'}
          </button>
        </div>
        <RequestFilter rows={shown ?? []} query={query} onChange={setQuery} />
        {shown === undefined ? (
          <p class="muted loading">Loading requests …</p>
        ) : shown.length === 0 ? (
          <>
            <Empty title="No requests yet">Requests appear here as soon as they start.</Empty>
            <FirstRequest />
          </>
        ) : matching.length === 0 ? (
          <Empty title="No matching requests">
            <a class="button" href={hrefOf('requests', open)}>
              Show all {shown.length}
            </a>
          </Empty>
        ) : (
          <RequestList rows={matching} open={open} hrefTo={id => hrefOf('requests', id, search)} />
        )}
      </section>
      {open !== undefined && (
        <RequestPanel
          key={open}
          id={open}
          row={rows?.find(({ id }) => id === open)}
          closeHref={hrefOf('requests', undefined, search)}
        />
      )}
    </div>
  )
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { LoggedRequest, LogPage } from '../../src/api.ts'
import { Empty } from '../parts/empty.tsx'
import { FirstRequest } from '../parts/first-request.tsx'
import { Loading } from '../parts/loading.tsx'
import { RequestFacts } from '../requests/request-facts.tsx'
import { RequestList } from '../requests/request-list.tsx'
import { useReturnFocus } from '../requests/use-return-focus.ts'
import { useSession } from '../session/session.ts'
import { hrefOf } from '../shell/location.ts'
import { type Loaded, useLoaded } from '../state/use-loaded.ts'
import { LogFilter } from './log-filter.tsx'
import { type LogQuery, logParameters, logQuery, logSearch } from './log-query.ts'
import { loggedDetail } from './logged-detail.ts'

/** Rows of a page: few enough for any browser. */
const pageSize = 50

/** The request log in the database: its search, a page of rows, and one of them in full. The address has the search. */
export function LogView({ open, search }: { open: string | undefined; search: string }) {
  const { api, names } = useSession()
  const query = useMemo(() => logQuery(search), [search])
  const page = useLoaded(
    signal => {
      const parameters = logParameters(query, Date.now())
      parameters.set('limit', String(pageSize))
      return api.log(parameters, signal)
    },
    [api, query],
  )
  const rows = page.value?.rows
  const list = useRef<HTMLElement>(null)
  useReturnFocus(list, 'log', open)
  useEffect(() => {
    names.want(
      rows?.flatMap(({ principal, source }) =>
        principal === null ? [] : [{ id: principal, source: source ?? undefined }],
      ) ?? [],
    )
  }, [rows])
  const goTo = (next: LogQuery) => {
    location.hash = hrefOf('log', undefined, logSearch(next))
  }
  return (
    <div class={open === undefined ? 'requests' : 'requests with-panel'}>
      <section class="request-side" ref={list} aria-labelledby="log-title">
        <div class="view-head">
          <h1 id="log-title" tabIndex={-1}>
            Request log
          </h1>
          <ExportButton query={query} />
        </div>
        <LogFilter query={query} onSearch={goTo} />
        <Loading what="the request log" loaded={page}>
          {value => <Page page={value} open={open} query={query} search={search} />}
        </Loading>
      </section>
      {open !== undefined && <LogPanel key={open} id={open} search={search} />}
    </div>
  )
}

function Page({
  page: { rows, next },
  open,
  query,
  search,
}: {
  page: LogPage
  open: string | undefined
  query: LogQuery
  search: string
}) {
  const { about } = useSession()
  if (rows.length === 0) {
    return (
      <>
        <Empty title={search === '' ? 'No requests yet' : 'No matching requests'}>
          {search === '' ? 'Requests are logged when they have ended.' : <a href={hrefOf('log')}>Show all</a>}
        </Empty>
        {search === '' && <FirstRequest />}
      </>
    )
  }
  return (
    <>
      <RequestList
        rows={rows.map(row => loggedDetail(row, about.teamTag))}
        open={open}
        withDay
        caption="Logged requests, newest first"
        hrefTo={id => hrefOf('log', id, search)}
      />
      <nav class="row pages" aria-label="Pages">
        {query.after !== '' && (
          <a class="button" href={hrefOf('log', undefined, logSearch({ ...query, after: '' }))}>
            Newest
          </a>
        )}
        {next !== undefined && (
          <a class="button" href={hrefOf('log', undefined, logSearch({ ...query, after: next }))}>
            Older
          </a>
        )}
      </nav>
    </>
  )
}

function LogPanel({ id, search }: { id: string; search: string }) {
  const { api, about } = useSession()
  const row: Loaded<LoggedRequest> = useLoaded(signal => api.logged(id, signal), [api, id])
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <section class="request-panel" aria-labelledby="logged-title">
      <div class="view-head">
        <h2 id="logged-title" ref={title} tabIndex={-1}>
          Request
        </h2>
        <a class="button quiet" href={hrefOf('log', undefined, search)}>
          Close
        </a>
      </div>
      <Loading what="the request" loaded={row}>
        {value => (
          <>
            <RequestFacts request={loggedDetail(value, about.teamTag)} />
            {value.errorMessage !== null && (
              <section>
                <h3>Error message</h3>
                <p class="mono">{value.errorMessage}</p>
              </section>
            )}
          </>
        )}
      </Loading>
    </section>
  )
}

/** Downloads all rows that match. A link could not send the key. */
function ExportButton({ query }: { query: LogQuery }) {
  const { api } = useSession()
  const [said, setSaid] = useState<string>()
  const download = async () => {
    setSaid('Exporting …')
    try {
      const file = await api.logFile(logParameters({ ...query, after: '' }, Date.now()))
      const link = document.createElement('a')
      link.href = URL.createObjectURL(file)
      link.download = 'requests.csv'
      link.click()
      URL.revokeObjectURL(link.href)
      setSaid(undefined)
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <>
      <span class="muted small" role="status">
        {said}
      </span>
      <button class="button" type="button" onClick={() => void download()}>
        Export CSV
      </button>
    </>
  )
}

import type { LiveEvents, RequestRow } from '../../src/api.ts'
import { ApiError } from '../server/api-error.ts'
import type { ConsoleApi } from '../server/console-api.ts'
import { readEvents } from '../server/read-events.ts'
import { createStore, type Store } from '../state/store.ts'

export interface FeedState {
  readonly connection: 'connecting' | 'live' | 'lost'
  /** Newest first. `undefined` until the first answer. */
  readonly rows: readonly RequestRow[] | undefined
  /** Counts what was told of targets: who shows them asks again. */
  readonly routeChanges: number
}

/** Requests as they happen. One connection serves all views. */
export interface LiveFeed {
  readonly state: Store<FeedState>
  close(): void
}

/** What came is shown together: a page that is drawn for each of a thousand requests a second stands still. */
const drawEveryMs = 120
/** Browsers hold back the timers of a tab that nobody sees: so many do not wait for one. */
const maxQueued = 500
/** A comment comes every 15 seconds. */
const silentMs = 40_000
const maxRetryMs = 10_000

/** Listens until it is closed, and again whenever the connection is lost. */
export function liveFeed(api: ConsoleApi): LiveFeed {
  const state = createStore<FeedState>({ connection: 'connecting', rows: undefined, routeChanges: 0 })
  const closed = new AbortController()
  let changed = new Map<string, RequestRow>()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** What is told while `/requests` is asked for: its answer may not have it. */
  let meanwhile: Map<string, RequestRow> | undefined

  const show = () => {
    clearTimeout(timer)
    timer = undefined
    const received = changed
    changed = new Map()
    state.update(last => ({ ...last, rows: mergedRows(last.rows ?? [], [...received.values()]) }))
  }
  const reload = async (signal: AbortSignal) => {
    const received = new Map<string, RequestRow>()
    meanwhile = received
    try {
      const rows = await api.requests(signal)
      // It was asked for again.
      if (meanwhile !== received) return
      // Nothing that was shown before is kept: where the server was started again, it has forgotten it.
      state.update(last => ({
        ...last,
        rows: mergedRows(rows, [...received.values()].filter(isNewer(rows))),
      }))
    } finally {
      if (meanwhile === received) meanwhile = undefined
    }
  }
  const take = (name: string, data: string, signal: AbortSignal) => {
    const event = name as keyof LiveEvents
    if (event === 'request') {
      const row: RequestRow = JSON.parse(data)
      changed.set(row.id, row)
      meanwhile?.set(row.id, row)
      if (changed.size >= maxQueued) show()
      else timer ??= setTimeout(show, drawEveryMs)
    } else {
      state.update(last => ({ ...last, routeChanges: last.routeChanges + 1 }))
      if (event === 'lost') reload(signal).catch(() => {})
    }
  }

  async function listen(): Promise<void> {
    const connection = new AbortController()
    const stop = () => connection.abort()
    closed.signal.addEventListener('abort', stop)
    let silence = setTimeout(stop, silentMs)
    try {
      const { body } = await api.live(connection.signal)
      state.update(last => ({ ...last, connection: 'live', routeChanges: last.routeChanges + 1 }))
      reload(connection.signal).catch(stop)
      const resetSilence = () => {
        clearTimeout(silence)
        silence = setTimeout(stop, silentMs)
      }
      for await (const { name, data } of readEvents(body!, resetSilence)) take(name, data, connection.signal)
    } finally {
      clearTimeout(silence)
      if (timer !== undefined) show()
      closed.signal.removeEventListener('abort', stop)
      stop()
    }
  }

  async function run(): Promise<void> {
    let waitMs = 500
    while (!closed.signal.aborted) {
      const began = Date.now()
      const error = await listen().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (closed.signal.aborted || (error instanceof ApiError && error.status === 401)) return
      state.update(last => ({ ...last, connection: 'lost' }))
      // Too many may listen already: what is asked for is shown all the same.
      reload(closed.signal).catch(() => {})
      waitMs = Date.now() - began > maxRetryMs ? 500 : Math.min(waitMs * 2, maxRetryMs)
      await new Promise(resolve => setTimeout(resolve, waitMs))
    }
  }
  void run()

  return {
    state,
    close: () => {
      clearTimeout(timer)
      closed.abort()
    },
  }
}

/** Whether a row is newer than what an answer says of it: the answer may have been overtaken by an event. */
function isNewer(answer: readonly RequestRow[]): (row: RequestRow) => boolean {
  const received = new Map(answer.map(row => [row.id, row.outcome]))
  return ({ id, outcome }) => {
    const known = received.get(id)
    return known === undefined || (known === 'running' && outcome !== 'running')
  }
}

/** As many as the server keeps. */
const maxRows = 500

/** Rows with later ones in their places, newest first. */
function mergedRows(rows: readonly RequestRow[], later: readonly RequestRow[]): readonly RequestRow[] {
  const all = new Map(rows.map(row => [row.id, row]))
  for (const row of later) all.set(row.id, row)
  return [...all.values()].sort((a, b) => b.at - a.at).slice(0, maxRows)
}

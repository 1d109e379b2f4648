import { periods } from '../parts/periods.ts'
import { searchOf } from '../shell/location.ts'

/** What the page of the request log shows: the parameters of its address. Empty: no condition. */
export interface LogQuery {
  /** A span up to now, by its name in `periods`; empty: everything that is stored. */
  readonly span: string
  readonly model: string
  readonly key: string
  readonly user: string
  /** How requests ended, such as `upstream_failed`. */
  readonly outcome: string
  /** A status such as `429`, or a class: `4xx`. */
  readonly status: string
  /** A name and a value: `team:search`. */
  readonly tag: string
  /** A part of the text of an error. */
  readonly errorText: string
  /** The `next` of the page before; empty: the newest rows. */
  readonly after: string
}

const names = ['span', 'model', 'key', 'user', 'outcome', 'status', 'tag', 'errorText', 'after'] as const

/** Reads the query of an address. What it does not name has no condition; what is unknown is left out. */
export function logQuery(search: string): LogQuery {
  const given = new URLSearchParams(search)
  return Object.fromEntries(names.map(name => [name, given.get(name) ?? ''])) as unknown as LogQuery
}

/** Returns the query as that of an address: `?status=5xx`. Empty if there are no conditions. */
export function logSearch(query: LogQuery): string {
  return searchOf(Object.fromEntries(names.map(name => [name, query[name]])))
}

/** Returns the parameters of the console's API. `now`: milliseconds since 1970. */
export function logParameters({ span, ...query }: LogQuery, now: number): URLSearchParams {
  const set = Object.entries(query).filter(([, value]) => value !== '')
  const parameters = new URLSearchParams(set.map(([name, value]) => [name, value.trim()]))
  const ms = Object.hasOwn(periods, span) ? periods[span]!.ms : undefined
  if (ms !== undefined) parameters.set('from', String(now - ms))
  return parameters
}

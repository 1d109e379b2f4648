/** What the page of the request log shows: the parameters of its address. Empty: no condition. */
export interface LogQuery {
  /** A span up to now, by its name in `spans`; empty: everything that is stored. */
  readonly span: string
  readonly model: string
  readonly key: string
  readonly user: string
  /** A status such as `429`, or a class: `4xx`. */
  readonly status: string
  /** A name and a value: `team:search`. */
  readonly tag: string
  /** A part of the text of an error. */
  readonly errorText: string
  /** The `next` of the page before; empty: the newest rows. */
  readonly after: string
}

const hourMs = 3_600_000

/** The spans that can be chosen, in milliseconds. */
export const spans: Readonly<Record<string, { readonly text: string; readonly ms: number }>> = {
  '15m': { text: '15 minutes', ms: hourMs / 4 },
  '1h': { text: '1 hour', ms: hourMs },
  '24h': { text: '24 hours', ms: 24 * hourMs },
  '7d': { text: '7 days', ms: 7 * 24 * hourMs },
  '30d': { text: '30 days', ms: 30 * 24 * hourMs },
  '90d': { text: '90 days', ms: 90 * 24 * hourMs },
}

const names = ['span', 'model', 'key', 'user', 'status', 'tag', 'errorText', 'after'] as const

/** Reads the query of an address. What it does not name has no condition; what is unknown is left out. */
export function logQuery(search: string): LogQuery {
  const given = new URLSearchParams(search)
  return Object.fromEntries(names.map(name => [name, given.get(name) ?? ''])) as unknown as LogQuery
}

/** Returns the query as that of an address: `?status=5xx`. Empty if there are no conditions. */
export function logSearch(query: LogQuery): string {
  const set = names.filter(name => query[name] !== '').map(name => [name, query[name]])
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`
}

/** Returns the parameters of the console's API. `now`: milliseconds since 1970. */
export function logParameters({ span, ...query }: LogQuery, now: number): URLSearchParams {
  const set = Object.entries(query).filter(([, value]) => value !== '')
  const parameters = new URLSearchParams(set.map(([name, value]) => [name, value.trim()]))
  const ms = Object.hasOwn(spans, span) ? spans[span]!.ms : undefined
  if (ms !== undefined) parameters.set('from', String(now - ms))
  return parameters
}

import {
  type LoggedRequest,
  type RequestLogFilter,
  type RequestLogRepository,
  type RequestLogSearch,
  storableText,
} from '@sluice/core/store'
import { principalPrefix } from './principal-prefix.ts'
import type { Queries } from './queries.ts'
import {
  deleteOldRequests,
  deletePrincipalRequests,
  excessRequests,
  insertRequests,
} from './request-log-statements.ts'
import { integerColumn, nullableTextColumn, textColumn } from './row-values.ts'
import { timestampFromMs } from './timestamps.ts'

/** How many rows one transaction deletes, so that it holds its locks for a short time. */
const deletedAtOnce = 5_000

/** Creates the repository of the request log in PostgreSQL. */
export function postgresRequestLogRepository(queries: Queries): RequestLogRepository {
  const insert = insertRequests(queries.schema)
  const deleteOld = deleteOldRequests(queries.schema)
  const deletePrincipal = deletePrincipalRequests(queries.schema)
  const excess = excessRequests(queries.schema)
  const deleteAll = async (statement: string, params: readonly string[]): Promise<number> => {
    for (let all = 0; ; ) {
      const [row] = await queries.run(statement, [String(deletedAtOnce), ...params])
      const deleted = integerColumn(row, 'deleted')
      all += deleted
      if (deleted === 0) return all
    }
  }
  return {
    async insert(rows) {
      if (rows.length > 0) await queries.run(insert, [JSON.stringify(rows)])
    },
    search: search => searchRequests(queries, search),
    deleteBefore: at => deleteAll(deleteOld, [String(Math.max(Math.ceil(at), 0))]),
    async excessBefore({ maxRows = Number.MAX_SAFE_INTEGER, maxBytes = Number.MAX_SAFE_INTEGER }) {
      const [row] = await queries.run(excess, [String(maxRows), String(maxBytes)])
      return nullableTextColumn(row, 'at') === null ? undefined : integerColumn(row, 'at') + 1
    },
    deletePrincipal: ({ id, source = '' }) =>
      deleteAll(deletePrincipal, [storableText(id), storableText(source)]),
  }
}

/** Finds rows, newest first. The first tag selects rows by the index of tags, every other condition is on the row. */
async function searchRequests(queries: Queries, search: RequestLogSearch): Promise<LoggedRequest[]> {
  const { schema } = queries
  const { from, to, where, after, limit } = search
  const params: string[] = []
  const param = (value: string) => `$${params.push(value)}::text`
  const { tags = {}, ...filter } = where
  const [first, ...others] = Object.entries(tags)
  // A rarer condition than a tag selects the rows, if there is one.
  const byTag = first !== undefined && !hasRareCondition(filter)
  const order = byTag ? 'tag' : 'log'
  const moment = (ms: number) => timestampFromMs(`${param(String(ms))}::bigint`)
  const tagIs = ([name, value]: readonly [string, string]) => {
    const [nameParam, valueParam] = [param(name), param(value)]
    return `${principalPrefix('tag.name')} = ${principalPrefix(nameParam)} and tag.name = ${nameParam}
  and ${principalPrefix('tag.value')} = ${principalPrefix(valueParam)} and tag.value = ${valueParam}`
  }
  const conditions = [
    ...(from === undefined ? [] : [`${order}.at >= ${moment(from)}`]),
    ...(to === undefined ? [] : [`${order}.at < ${moment(to)}`]),
    ...(after === undefined
      ? []
      : [`(${order}.at, ${order}.id) < (${moment(after.at)}, ${param(after.id)})`]),
    ...filterConditions(filter, param),
    ...(byTag ? [tagIs(first)] : []),
    ...(byTag || first === undefined ? others : [first, ...others]).map(
      ([name, value]) => `log.entry -> 'tags' ->> ${param(name)} = ${param(value)}`,
    ),
  ]
  const tables = byTag
    ? `${schema.sql}.request_log_tags as tag join ${schema.sql}.request_log as log on log.id = tag.id`
    : `${schema.sql}.request_log as log`
  const rows = await queries.run(
    `select log.entry::text as entry from ${tables}
${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
order by ${order}.at desc, ${order}.id desc limit ${param(String(limit))}::bigint`,
    params,
  )
  return rows.map(row => JSON.parse(textColumn(row, 'entry')) as LoggedRequest)
}

function hasRareCondition({ status, outcome, ...filter }: RequestLogFilter): boolean {
  const failed = typeof status === 'string' ? status >= '4xx' : (status ?? 0) >= 400
  if (failed || (outcome !== undefined && outcome !== 'completed')) return true
  return (['id', 'clientRequestId', 'user', 'key', 'error', 'errorText'] as const).some(
    name => filter[name] !== undefined,
  )
}

function filterConditions(filter: RequestLogFilter, param: (value: string) => string): readonly string[] {
  const { id, clientRequestId, user, key, source, model, provider, dialect } = filter
  const { operation, outcome, status, error, errorText } = filter
  /** What the index on the beginnings of names finds, and the rest of what has to match. */
  const name = (column: string, value: string | undefined): string[] => {
    if (value === undefined) return []
    const given = param(value)
    return [`${principalPrefix(`log.${column}`)} = ${principalPrefix(given)} and log.${column} = ${given}`]
  }
  const exact = (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`log.${column} = ${param(value)}`]
  return [
    ...exact('id', id),
    ...name('client_request_id', clientRequestId),
    ...name('end_user', user),
    ...name('principal', key),
    ...name('source', source),
    ...name('model', model),
    ...name('provider', provider),
    ...name('dialect', dialect),
    ...exact('operation', operation),
    ...exact('outcome', outcome),
    ...(outcome === undefined || outcome === 'completed' ? [] : [`log.outcome <> 'completed'`]),
    ...statusConditions(status, param),
    ...name('error', error),
    ...(errorText === undefined
      ? []
      : [
          `log.error_text is not null and strpos(lower(log.error_text), lower(${param(errorText)} collate "C")) > 0`,
        ]),
  ]
}

/** The partial indexes are used only if the query has their condition. */
function statusConditions(status: RequestLogFilter['status'], param: (value: string) => string): string[] {
  if (status === undefined) return []
  const isClass = typeof status === 'string'
  const number = isClass ? Number(status[0]) : status
  const failed = isClass ? number >= 4 : number >= 400
  return [
    `${isClass ? '(log.status / 100)' : 'log.status'} = ${param(String(number))}::bigint`,
    ...(failed ? ['log.status >= 400'] : []),
  ]
}

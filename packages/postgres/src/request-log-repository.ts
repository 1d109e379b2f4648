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
import type { Schema } from './schema.ts'
import { msFromTimestamp, timestampFromMs } from './timestamps.ts'

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

type Param = (value: string) => string

/** A condition, and what of it an index answers; `undefined` if none does. */
interface Condition {
  readonly indexed?: string
  readonly sql: string
}

/** Rows of a condition's index that one query looks at. The first are enough for most searches. */
const firstStep = 250
const maxStep = 16_000

/**
 * Finds rows, newest first, step by step. One condition selects rows by its index, in the order of the result, and the others are
 * checked row by row. The planner alone takes conditions for independent, and sorts many rows to find a few: a step has a limit.
 */
async function searchRequests(queries: Queries, search: RequestLogSearch): Promise<LoggedRequest[]> {
  const found: LoggedRequest[] = []
  let { after } = search
  for (let step = firstStep; ; step = Math.min(step * 4, maxStep)) {
    const { text, last, params } = stepOf(
      queries.schema,
      { ...search, after, limit: search.limit - found.length },
      step,
    )
    for (const row of await queries.run(text, params)) {
      // Rows of older versions have no hooks.
      found.push({ hooks: [], ...JSON.parse(textColumn(row, 'entry')) } as LoggedRequest)
    }
    if (found.length >= search.limit) return found
    const [end] = await queries.run(last, params.slice(0, -1))
    if (end === undefined) return found
    after = { at: integerColumn(end, 'at'), id: textColumn(end, 'id') }
  }
}

/** The queries of a step: one for its rows, and one for its last position, which is empty if the index has no more rows. */
function stepOf(
  { sql }: Schema,
  { from, to, where, after, limit }: RequestLogSearch,
  step: number,
): { readonly text: string; readonly last: string; readonly params: string[] } {
  const params: string[] = []
  const param = (value: string) => `$${params.push(value)}::text`
  const moment = (ms: number) => timestampFromMs(`${param(String(ms))}::bigint`)
  const period = [
    ...(from === undefined ? [] : [`at >= ${moment(from)}`]),
    ...(to === undefined ? [] : [`at < ${moment(to)}`]),
    ...(after === undefined ? [] : [`(at, id) < (${moment(after.at)}, ${param(after.id)})`]),
  ]
  const [rare, tags, common] = conditionsOf(where, param)
  const driver = rare.find(hasIndex) ?? tags[0] ?? common.find(hasIndex)
  const byTag = driver !== undefined && driver === tags[0]
  const selected = [...period, ...(driver?.indexed === undefined ? [] : [driver.indexed])]
  const ordered = `from ${sql}.request_log${byTag ? '_tags' : ''} ${whereText(selected)} order by at desc, id desc`
  // What an index answers of a condition is only a part of it.
  const rest = [...rare, ...tags, ...common].map(condition => condition.sql)
  // The query for the last position has the same parameters, and PostgreSQL wants to know the type of each.
  const used = `(${[...params.keys()].map(index => `$${index + 1}::text is null`).join(' or ') || 'true'}) is not null`
  const last = `select ${msFromTimestamp('at')}::text as at, id from (select at, id ${ordered} offset ${step - 1} limit 1) as last
where ${used}`
  const count = `${param(String(limit))}::bigint`
  const text = byTag
    ? `select log.entry from (select at, id ${ordered} limit ${step}) as tag
cross join lateral (
  select log.entry::text as entry from ${sql}.request_log as log ${whereText(['log.id = tag.id', ...rest])} offset 0
) as log
limit ${count}`
    : `select log.entry::text as entry from (select * ${ordered} limit ${step}) as log ${whereText(rest)} limit ${count}`
  return { text, last, params }
}

function hasIndex({ indexed }: Condition): boolean {
  return indexed !== undefined
}

function whereText(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
}

/** The conditions that usually have few rows, those on tags, and the others; each in the order in which indexes are chosen. */
function conditionsOf(
  where: RequestLogFilter,
  param: Param,
): readonly [rare: readonly Condition[], tags: readonly Condition[], common: readonly Condition[]] {
  const { id, clientRequestId, user, key, source, model, provider, dialect } = where
  const { operation, outcome, status, error, errorText, tags = {} } = where
  const exact = (column: string, value: string | undefined): Condition[] => {
    if (value === undefined) return []
    const sql = `${column} = ${param(value)}`
    return [column === 'id' || column === 'error' ? { sql, indexed: sql } : { sql }]
  }
  /** Of names the beginnings are indexed. */
  const name = (column: string, value: string | undefined): Condition[] => {
    if (value === undefined) return []
    const given = param(value)
    const indexed = `${principalPrefix(column)} = ${principalPrefix(given)}`
    return [{ sql: `${column} = ${given}`, indexed }]
  }
  const rare = [
    ...exact('id', id),
    ...name('client_request_id', clientRequestId),
    ...name('end_user', user),
    ...exact('error', error),
    ...statusCondition(status, param),
    ...outcomeCondition(outcome, param),
    ...(errorText === undefined
      ? []
      : [
          {
            sql: `strpos(lower(error_text), lower(${param(errorText)} collate "C")) > 0`,
            indexed: 'error_text is not null',
          },
        ]),
    ...name('principal', key),
  ]
  const ofTags = Object.entries(tags).map(([tag, value]) => {
    const [tagParam, valueParam] = [param(tag), param(value)]
    return {
      sql: `entry -> 'tags' ->> ${tagParam} = ${valueParam}`,
      indexed: `name = ${principalPrefix(tagParam)} and value = ${principalPrefix(valueParam)}`,
    }
  })
  const common = [
    ...name('model', model),
    ...name('provider', provider),
    ...name('source', source),
    ...name('dialect', dialect),
    ...exact('operation', operation),
  ]
  return [rare, ofTags, common]
}

/** The partial indexes are used only if the query has their condition. */
function outcomeCondition(outcome: RequestLogFilter['outcome'], param: Param): Condition[] {
  if (outcome === undefined) return []
  const sql = `outcome = ${param(outcome)}`
  return [outcome === 'completed' ? { sql } : { sql, indexed: `${sql} and outcome <> 'completed'` }]
}

function statusCondition(status: RequestLogFilter['status'], param: Param): Condition[] {
  if (status === undefined) return []
  const isClass = typeof status === 'string'
  const number = isClass ? Number(status[0]) : status
  const sql = `${isClass ? '(status / 100)' : 'status'} = ${param(String(number))}::bigint`
  const failed = isClass ? number >= 4 : number >= 400
  return [failed ? { sql, indexed: `${sql} and status >= 400` } : { sql }]
}

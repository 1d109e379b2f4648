import { setImmediate as others } from 'node:timers/promises'
import type { LoggedRequest, RequestLogFilter, RequestLogSearch } from '@sluice/core/store'
import type { Connection } from './connection.ts'
import type { SqlValue } from './drivers/driver.ts'

/** Rows that one statement looks at: it blocks the event loop, which continues between statements. */
const firstStep = 1_000
const maxStep = 4_000

interface Condition {
  readonly sql: string
  readonly args: readonly SqlValue[]
}

/** The index that a search walks through, newest first, and the condition that the index answers. */
interface Driver extends Condition {
  readonly table: string
  readonly at: string
  /** From the index to the row. */
  readonly join: string
}

/** Finds rows, newest first. What the index does not answer is checked step by step. */
export async function searchRequestLog(
  connection: Connection,
  search: RequestLogSearch,
): Promise<LoggedRequest[]> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, where, after, limit } = search
  const { driver, rest } = plan(where)
  const { table, at, join } = driver
  const remaining =
    after === undefined ? [] : [{ sql: `(${at} < ? OR log.id < ?)`, args: [after.at, after.id] }]
  let before = after === undefined ? to : Math.min(to, after.at + 1)
  const found: LoggedRequest[] = []
  for (let step = firstStep; ; step = Math.min(step * 2, maxStep)) {
    const indexed = [
      ...(driver.sql === '' ? [] : [driver]),
      { sql: `${at} >= ? AND ${at} < ?`, args: [from, before] },
    ]
    const start = rest.length === 0 ? undefined : await startOfStep(connection, driver, indexed, step)
    const conditions = [
      ...indexed,
      ...(start === undefined ? [] : [{ sql: `${at} >= ?`, args: [start] }]),
      ...remaining,
      ...rest,
    ]
    const rows = await connection.read(
      `SELECT log.entry AS entry FROM ${table} ${join} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
ORDER BY ${at} DESC, log.id DESC LIMIT ?`,
      [...conditions.flatMap(({ args }) => args), limit - found.length],
    )
    // Rows of older versions have no hooks.
    for (const { entry } of rows) found.push({ hooks: [], ...JSON.parse(String(entry)) } as LoggedRequest)
    if (start === undefined || found.length >= limit) return found
    before = start
    await others()
  }
}

/** The time of the last row of a step; `undefined` if the index has no more rows than the step. */
async function startOfStep(
  connection: Connection,
  { table, at }: Driver,
  indexed: readonly Condition[],
  step: number,
): Promise<number | undefined> {
  const [last] = await connection.read(
    `SELECT ${at} AS at FROM ${table} WHERE ${indexed.map(({ sql }) => sql).join(' AND ')}
ORDER BY ${at} DESC LIMIT 1 OFFSET ?`,
    [...indexed.flatMap(({ args }) => args), step],
  )
  return last === undefined ? undefined : Number(last.at)
}

/** Chooses the index of the condition that usually has the fewest rows: SQLite has no statistics to choose by. */
function plan(where: RequestLogFilter): { readonly driver: Driver; readonly rest: readonly Condition[] } {
  const conditions = conditionsOf(where)
  const index = conditions.findIndex(({ index }) => index !== undefined)
  const rest = conditions.filter((_, at) => at !== index)
  const chosen = conditions[index]
  if (chosen?.index === undefined) return { driver: driverOf('at', { sql: '', args: [] }), rest }
  const driver = chosen.index === 'tag' ? tagDriver(chosen) : driverOf(chosen.index, chosen)
  // What the index of error texts selects still has to contain the text.
  return { driver, rest: chosen.residual === undefined ? rest : [chosen.residual, ...rest] }
}

function driverOf(index: string, { sql, args }: Condition): Driver {
  // By its key a single row is found, and the name of that index is SQLite's own.
  const indexed = index === 'id' ? '' : ` INDEXED BY sluice_request_log_${index}`
  return { table: `sluice_request_log AS log${indexed}`, at: 'log.at', join: '', sql, args }
}

function tagDriver({ args }: Condition): Driver {
  return {
    table: 'sluice_request_log_tag AS tag',
    at: 'tag.at',
    // A cross join keeps the order of the tables.
    join: 'CROSS JOIN sluice_request_log AS log ON log.row = tag.row',
    sql: 'tag.name = ? AND tag.value = ?',
    args,
  }
}

interface IndexedCondition extends Condition {
  /** The index that answers it; `undefined` if there is none. */
  readonly index?: string | undefined
  readonly residual?: Condition
}

/** The conditions in the order in which their indexes are chosen. */
function conditionsOf(where: RequestLogFilter): readonly IndexedCondition[] {
  const { id, clientRequestId, user, errorText, error, status, outcome, key } = where
  const { tags = {}, model, provider, source, dialect, operation } = where
  const equals = (column: string, value: SqlValue | undefined, index?: string): IndexedCondition[] =>
    value === undefined ? [] : [{ sql: `log.${column} = ?`, args: [value], index }]
  return [
    ...equals('id', id, 'id'),
    ...equals('client_request_id', clientRequestId, 'client_request_id'),
    ...equals('end_user', user, 'end_user'),
    ...equals('error', error, 'error'),
    ...(status === undefined ? [] : [statusCondition(status)]),
    ...(outcome === undefined
      ? []
      : outcome === 'completed'
        ? equals('outcome', outcome)
        : [{ sql: "log.outcome = ? AND log.outcome <> 'completed'", args: [outcome], index: 'outcome' }]),
    ...(errorText === undefined
      ? []
      : [
          {
            sql: 'log.error_text IS NOT NULL',
            args: [],
            index: 'error_text',
            residual: { sql: 'instr(lower(log.error_text), lower(?)) > 0', args: [errorText] },
          },
        ]),
    ...equals('principal', key, 'principal'),
    ...Object.entries(tags).map(([name, value]) => ({
      sql: `EXISTS (SELECT 1 FROM sluice_request_log_tag AS other
  WHERE other.name = ? AND other.value = ? AND other.at = log.at AND other.row = log.row)`,
      args: [name, value],
      index: 'tag',
    })),
    ...equals('model', model, 'model'),
    ...equals('provider', provider, 'provider'),
    ...equals('source', source, 'source'),
    ...equals('dialect', dialect, 'dialect'),
    ...equals('operation', operation),
  ]
}

/** Successes are too many for an index of their own to help. */
function statusCondition(status: NonNullable<RequestLogFilter['status']>): IndexedCondition {
  if (typeof status === 'number') {
    return status < 400
      ? { sql: 'log.status = ?', args: [status] }
      : { sql: 'log.status = ? AND log.status >= 400', args: [status], index: 'status' }
  }
  const digit = Number(status[0])
  return digit < 4
    ? { sql: 'log.status / 100 = ?', args: [digit] }
    : { sql: 'log.status / 100 = ? AND log.status >= 400', args: [digit], index: 'class' }
}

import { setImmediate as others } from 'node:timers/promises'
import { type RequestLogCapacity, type RequestLogRepository, storableText } from '@sluice/core/store'
import type { Connection } from './connection.ts'
import type { SqlValue } from './drivers/driver.ts'
import { searchRequestLog } from './request-log-search.ts'

/** How many rows one statement deletes, and sums: it runs in the thread that asks. */
const deletedAtOnce = 500
const summedAtOnce = 20_000

/** Takes a JSON list of `LoggedRequest`. */
const insertRows = `INSERT INTO sluice_request_log (id, at, client_request_id, principal, source, end_user, model, provider,
  operation, dialect, outcome, status, error, error_text, bytes, entry)
SELECT value->>'$.id', value->>'$.at', value->>'$.clientRequestId', value->>'$.principal', value->>'$.source',
  value->>'$.user', value->>'$.model', value->>'$.provider', value->>'$.operation', value->>'$.dialect',
  value->>'$.outcome', value->>'$.status', value->>'$.error', value->>'$.errorText', length(CAST(value AS BLOB)), value
FROM json_each(?) WHERE true
ON CONFLICT (id) DO NOTHING`

/** Takes the same list. The stored rows decide: a row that was there before has its tags. */
const insertTags = `INSERT OR IGNORE INTO sluice_request_log_tag (name, value, at, row)
SELECT tag.key, tag.value, log.at, log.row
FROM json_each(?) AS given
CROSS JOIN sluice_request_log AS log ON log.id = given.value->>'$.id'
CROSS JOIN json_each(log.entry, '$.tags') AS tag`

/** Statements that delete the rows of a selection, with their tags. The selection gives the same rows to both. */
function deleteRows(selection: string, args: SqlValue[]) {
  return [
    {
      sql: `DELETE FROM sluice_request_log_tag WHERE (name, value, at, row) IN (
  SELECT tag.key, tag.value, log.at, log.row FROM sluice_request_log AS log, json_each(log.entry, '$.tags') AS tag
  WHERE log.row IN (${selection}))`,
      args,
    },
    { sql: `DELETE FROM sluice_request_log WHERE row IN (${selection})`, args },
  ]
}

/** Creates the repository of the request log in SQLite. */
export function sqliteRequestLogRepository(connection: Connection): RequestLogRepository {
  const deleteAll = async (selection: string, args: SqlValue[]): Promise<number> => {
    for (let all = 0; ; await others()) {
      const [, deleted = 0] = await connection.write(deleteRows(selection, [...args, deletedAtOnce]))
      all += deleted
      if (deleted < deletedAtOnce) return all
    }
  }
  return {
    async insert(rows) {
      if (rows.length === 0) return
      const args = [JSON.stringify(rows)]
      await connection.write([
        { sql: insertRows, args },
        { sql: insertTags, args },
      ])
    },
    search: search => searchRequestLog(connection, search),
    deleteBefore: at =>
      deleteAll(
        'SELECT row FROM sluice_request_log INDEXED BY sluice_request_log_at WHERE at < ? ORDER BY at, row LIMIT ?',
        [at],
      ),
    excessBefore: capacity => excessBefore(connection, capacity),
    deletePrincipal: ({ id, source = '' }) =>
      deleteAll(
        `SELECT row FROM sluice_request_log INDEXED BY sluice_request_log_principal
  WHERE principal = ? AND source IS ? ORDER BY at, row LIMIT ?`,
        [storableText(id), source === '' ? null : storableText(source)],
      ),
  }
}

/** Sums from the newest row on, step by step, until the capacity is reached. */
async function excessBefore(
  connection: Connection,
  { maxRows = Number.MAX_SAFE_INTEGER, maxBytes = Number.MAX_SAFE_INTEGER }: RequestLogCapacity,
): Promise<number | undefined> {
  let rows = 0
  let bytes = 0
  for (let before = Number.MAX_SAFE_INTEGER; ; await others()) {
    // All rows of a millisecond are in one step.
    const [last] = await connection.read(
      'SELECT at FROM sluice_request_log WHERE at < ? ORDER BY at DESC LIMIT 1 OFFSET ?',
      [before, summedAtOnce],
    )
    const start = last === undefined ? 0 : Number(last.at)
    const [sum] = await connection.read(
      'SELECT count(*) AS rows, total(bytes) AS bytes FROM sluice_request_log WHERE at >= ? AND at < ?',
      [start, before],
    )
    if (rows + Number(sum?.rows) > maxRows || bytes + Number(sum?.bytes) > maxBytes) {
      const step = await connection.read(
        'SELECT at, bytes FROM sluice_request_log WHERE at >= ? AND at < ? ORDER BY at DESC',
        [start, before],
      )
      for (const row of step) {
        rows += 1
        bytes += Number(row.bytes)
        if (rows > maxRows || bytes > maxBytes) return Number(row.at) + 1
      }
    }
    if (last === undefined) return undefined
    rows += Number(sum?.rows)
    bytes += Number(sum?.bytes)
    before = start
  }
}

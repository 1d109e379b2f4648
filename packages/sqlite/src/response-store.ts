import { createHash } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import { configurationError } from '@sluice/core/adapter'
import {
  type Database,
  escapeNul,
  type ResponseStore,
  type ResponseStoreOptions,
  responseBounds,
  type StoredResponse,
  unescapeNul,
} from '@sluice/core/store'
import type { Connection } from './connection.ts'
import type { SqlStatement } from './drivers/driver.ts'
import { connectionOf } from './open-sqlite.ts'

/** How often expired responses are deleted, in milliseconds. */
const cleanupMs = 600_000
/** Responses per statement that deletes. SQLite blocks the event loop, which continues between statements. */
const deletedAtOnce = 200

/** The database's own clock, in milliseconds since 1970. */
const now = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)"

const insert = `INSERT INTO sluice_response (owner, id, bytes, expires_at, text) VALUES (?, ?, ?, ${now} + ?, ?)`
/** Takes an owner, the owner and an id, and a JSON list of the ids of items. */
const insertItems = `INSERT OR REPLACE INTO sluice_response_item (owner, id, response)
SELECT ?, value, (SELECT row FROM sluice_response WHERE owner = ? AND id = ?) FROM json_each(?)`
/** Takes the maximum number, the maximum size, and twice the owner. Reads no more than a sum if nothing is to be evicted. */
const evict = `WITH excess AS (
  SELECT count(*) - ? AS responses, sum(bytes) - ? AS bytes FROM sluice_response WHERE owner = ?
), oldest AS (
  SELECT row, expires_at, bytes FROM sluice_response WHERE owner = ? ORDER BY expires_at, row
  LIMIT (SELECT CASE WHEN bytes > 0 THEN ${deletedAtOnce} ELSE max(0, min(responses, ${deletedAtOnce})) END FROM excess)
), placed AS (
  SELECT row, row_number() OVER age AS place, sum(bytes) OVER age - bytes AS before
  FROM oldest WINDOW age AS (ORDER BY expires_at, row)
)
DELETE FROM sluice_response
WHERE row IN (SELECT row FROM placed, excess WHERE place <= excess.responses OR before < excess.bytes)`
const select = `SELECT id, text, expires_at - ${now} AS life FROM sluice_response AS response`
const selectById = `${select} WHERE owner = ? AND id = ? AND expires_at > ${now}`
const selectByItem = `${select} WHERE expires_at > ${now}
AND row = (SELECT response FROM sluice_response_item WHERE owner = ? AND id = ?)`
const renew = `UPDATE sluice_response SET expires_at = ${now} + ? WHERE owner = ? AND id = ? AND expires_at > ${now}`
const deleteAny = 'DELETE FROM sluice_response WHERE owner = ? AND id = ?'
const deleteLive = `${deleteAny} AND expires_at > ${now}`
const deleteBatch = (which: string) =>
  `DELETE FROM sluice_response WHERE row IN (SELECT row FROM sluice_response WHERE ${which} LIMIT ${deletedAtOnce})`
const deleteOwned = deleteBatch('owner = ?')
const deleteExpired = deleteBatch(`expires_at <= ${now}`)

/**
 * Creates a response store in an SQLite file, for the option `responses` of a gateway. All processes of the machine that open the
 * file share it. For a principal at its maximum, the response that was not read for the longest time is evicted. A response larger
 * than `maxBytesPerOwner` is not stored. Expired responses are deleted every ten minutes until the database is closed.
 *
 * @param database - what `openSqlite` returned.
 *
 * Throws `ConfigurationError` for another database, and for invalid options.
 */
export function sqliteResponseStore(database: Database, options: ResponseStoreOptions = {}): ResponseStore {
  const connection = connectionOf(database)
  if (connection === undefined) {
    throw configurationError('sqliteResponseStore()', [], database, 'the database that openSqlite() returned')
  }
  const { ttlMs, renewMs, maxResponsesPerOwner, maxBytesPerOwner } = responseBounds(
    'sqliteResponseStore()',
    options,
  )
  cleanUp(connection)
  const read = async (sql: string, owner: string, id: string): Promise<string | undefined> => {
    const key = digestOf(owner)
    const [row] = await connection.read(sql, [key, escapeNul(id)])
    if (row === undefined) return undefined
    if (Number(row.life) <= ttlMs - renewMs) await renewNow(connection, [ttlMs, key, String(row.id)])
    return unescapeNul(String(row.text))
  }
  return {
    async put({ owner, itemIds, text, ...response }: StoredResponse): Promise<boolean> {
      const key = digestOf(owner)
      const id = escapeNul(response.id)
      const bytes = Buffer.byteLength(text)
      const remove = { sql: deleteAny, args: [key, id] }
      if (bytes > maxBytesPerOwner) {
        await connection.write([remove])
        return false
      }
      const eviction: SqlStatement = { sql: evict, args: [maxResponsesPerOwner, maxBytesPerOwner, key, key] }
      const stored = await connection.write([
        remove,
        { sql: insert, args: [key, id, bytes, ttlMs, escapeNul(text)] },
        { sql: insertItems, args: [key, key, id, JSON.stringify(itemIds.map(escapeNul))] },
        eviction,
      ])
      for (let evicted = stored.at(-1); evicted === deletedAtOnce; ) {
        await others()
        ;[evicted] = await connection.write([eviction])
      }
      return true
    },
    get: (owner, id) => read(selectById, owner, id),
    findItem: (owner, itemId) => read(selectByItem, owner, itemId),
    async delete(owner: string, id: string): Promise<boolean> {
      const [deleted] = await connection.write([{ sql: deleteLive, args: [digestOf(owner), escapeNul(id)] }])
      return deleted === 1
    },
    deleteOwner: owner => deleteAll(connection, { sql: deleteOwned, args: [digestOf(owner)] }),
  }
}

/** Of a fixed length, and without characters that a database cannot store. */
function digestOf(owner: string): string {
  return createHash('sha256').update(owner, 'utf16le').digest('base64url')
}

/** Ignores failures: what was read is returned even if the file is busy or its disk is full. A later read renews it. */
async function renewNow(connection: Connection, args: [number, string, string]): Promise<void> {
  await connection.writeNow([{ sql: renew, args }]).catch(() => {})
}

async function deleteAll(connection: Connection, statement: SqlStatement): Promise<number> {
  for (let all = 0; ; await others()) {
    const [deleted = 0] = await connection.write([statement])
    all += deleted
    if (deleted < deletedAtOnce) return all
  }
}

/** Deletes what has expired, now and every ten minutes. Ignores failures: the next time deletes it. */
function cleanUp(connection: Connection): void {
  const clean = () => void deleteAll(connection, deleteExpired).catch(() => {})
  const timer = setInterval(() => {
    if (connection.isClosed) clearInterval(timer)
    else clean()
  }, cleanupMs)
  timer.unref()
  clean()
}

import { setImmediate as others } from 'node:timers/promises'
import { type BodyLogRepository, storableText } from '@sluice/core/store'
import type { Connection } from './connection.ts'
import type { SqlValue } from './drivers/driver.ts'

/** How many rows one statement deletes: it runs in the thread that asks, and rows are large. */
const deletedAtOnce = 100

/** Takes a JSON list of `StoredBodies`. */
const insertRows = `INSERT INTO sluice_bodies (id, at, principal, source, key_id, sealed)
SELECT value->>'$.id', value->>'$.at', value->>'$.principal', value->>'$.source', value->>'$.keyId', value->>'$.sealed'
FROM json_each(?) WHERE true
ON CONFLICT (id) DO NOTHING`

/** Creates the repository of encrypted bodies in SQLite. */
export function sqliteBodyLogRepository(connection: Connection): BodyLogRepository {
  const deleteAll = async (condition: string, args: SqlValue[]): Promise<number> => {
    const sql = `DELETE FROM sluice_bodies WHERE row IN (SELECT row FROM sluice_bodies WHERE ${condition} LIMIT ?)`
    for (let all = 0; ; await others()) {
      const [deleted = 0] = await connection.write([{ sql, args: [...args, deletedAtOnce] }])
      all += deleted
      if (deleted < deletedAtOnce) return all
    }
  }
  return {
    async insert(rows) {
      if (rows.length > 0) await connection.write([{ sql: insertRows, args: [JSON.stringify(rows)] }])
    },
    async get(id) {
      const [row] = await connection.read(
        'SELECT id, at, principal, source, key_id, sealed FROM sluice_bodies WHERE id = ?',
        [storableText(id)],
      )
      if (row === undefined) return undefined
      return {
        id: String(row.id),
        at: Number(row.at),
        principal: String(row.principal),
        source: row.source === null ? null : String(row.source),
        keyId: String(row.key_id),
        sealed: String(row.sealed),
      }
    },
    deleteBefore: at => deleteAll('at < ?', [at]),
    deletePrincipal: ({ id, source = '' }) =>
      deleteAll('principal = ? AND source IS ?', [
        storableText(id),
        source === '' ? null : storableText(source),
      ]),
  }
}

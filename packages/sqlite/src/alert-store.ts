import { createHash } from 'node:crypto'
import { type AlertStore, type CacheKey, escapeNul, unescapeNul } from '@sluice/core/store'
import type { Connection } from './connection.ts'

/** How many expired rows are deleted when one is added. */
const deletedAtOnce = 200

/** The database's own clock, in milliseconds since 1970. */
const now = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)"

const deleteExpired = `DELETE FROM sluice_alert WHERE id IN (
  SELECT id FROM sluice_alert WHERE expires_at <= ${now} LIMIT ${deletedAtOnce}
)`
const insert = `INSERT INTO sluice_alert (id, text, expires_at) VALUES (?, ?, ${now} + ?)
ON CONFLICT (id) DO UPDATE SET text = excluded.text, expires_at = excluded.expires_at WHERE expires_at <= ${now}`
const select = `SELECT text FROM sluice_alert WHERE id = ? AND expires_at > ${now}`
const live = `WHERE id = ? AND text = ? AND expires_at > ${now}`

/** Creates the store of alerts in SQLite. Each `add` deletes some of what has expired. */
export function sqliteAlertStore(connection: Connection): AlertStore {
  return {
    async add(key, text, { ttlMs }) {
      const id = digestOf(key)
      for (;;) {
        // Most alerts are claimed already, and a reader does not wait for writers.
        const [row] = await connection.read(select, [id])
        if (row !== undefined) return { existing: unescapeNul(String(row.text)) }
        const [, added] = await connection.write([
          deleteExpired,
          { sql: insert, args: [id, escapeNul(text), Math.ceil(ttlMs)] },
        ])
        if (added === 1) return 'added'
      }
    },
    async replace(key, expected, text, { ttlMs }) {
      const which = [digestOf(key), escapeNul(expected)]
      const [changed] = await connection.write([
        text === undefined
          ? { sql: `DELETE FROM sluice_alert ${live}`, args: which }
          : {
              sql: `UPDATE sluice_alert SET text = ?, expires_at = ${now} + ? ${live}`,
              args: [escapeNul(text), Math.ceil(ttlMs), ...which],
            },
      ])
      return changed === 1
    },
  }
}

/** Of a fixed length, and without the names of principals. */
function digestOf({ owner, name }: CacheKey): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, name]))
    .digest('base64url')
}

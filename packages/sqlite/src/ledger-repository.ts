import { setImmediate as others } from 'node:timers/promises'
import { type LedgerBatch, type LedgerRepository, storableText, toStoredBatch } from '@sluice/core/store'
import type { Connection } from './connection.ts'
import {
  closeOrphans,
  deleteCancelled,
  deletePrincipal,
  insertClosings,
  insertEntries,
  updateProgress,
} from './ledger-statements.ts'
import { queryUsage } from './usage.ts'

/** How many records one statement deletes: it runs in the thread that asks. */
const deletedAtOnce = 5_000

/** Creates the ledger repository in SQLite. */
export function sqliteLedgerRepository(connection: Connection): LedgerRepository {
  return {
    async write(batch: LedgerBatch): Promise<void> {
      const { entries, closings, progress, cancelled } = toStoredBatch(batch)
      // Each statement takes its list as one JSON text: a call for each row costs ten times as much.
      const statements = [
        { sql: insertEntries, list: entries },
        { sql: updateProgress, list: progress },
        { sql: insertClosings, list: closings },
        { sql: deleteCancelled, list: cancelled },
      ]
        .filter(({ list }) => list.length > 0)
        .map(({ sql, list }) => ({ sql, args: [JSON.stringify(list)] }))
      if (statements.length > 0) await connection.write(statements)
    },
    async closeOrphans(silentMs: number): Promise<number> {
      const [closed = 0] = await connection.write([{ sql: closeOrphans, args: [silentMs] }])
      return closed
    },
    usage: query => queryUsage(connection, query),
    async deletePrincipal({ id, source = '' }) {
      const args = [storableText(id), source === '' ? null : storableText(source), deletedAtOnce]
      for (let all = 0; ; await others()) {
        const [deleted = 0] = await connection.write([{ sql: deletePrincipal, args }])
        all += deleted
        if (deleted < deletedAtOnce) return all
      }
    },
  }
}

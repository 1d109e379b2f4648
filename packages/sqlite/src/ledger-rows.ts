import { type LedgerBatch, type LedgerRepository, toStoredBatch } from '@sluice/core/store'
import type { Connection } from './connection.ts'
import {
  closeOrphans,
  deleteCancelled,
  insertClosings,
  insertEntries,
  updateProgress,
} from './ledger-statements.ts'
import { usageOf } from './usage.ts'

/** The table under a ledger, in SQLite. */
export function sqliteLedgerRows(connection: Connection): LedgerRepository {
  return {
    async write(batch: LedgerBatch): Promise<void> {
      const { entries, closings, progress, cancelled } = toStoredBatch(batch)
      // Each statement takes its whole list as one text: a call for each row would cost ten times as much.
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
    usage: query => usageOf(connection, query),
  }
}

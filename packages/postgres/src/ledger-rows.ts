import { type LedgerBatch, type LedgerRepository, toStoredBatch } from '@sluice/core/store'
import { cancelledStatement, orphansStatement, progressStatement, rowsStatement } from './ledger-write.ts'
import type { Queries } from './queries.ts'
import { countIn } from './row.ts'
import { usageOf } from './usage.ts'
import { writtenRows } from './written-rows.ts'

/** The table under a ledger, in PostgreSQL. */
export function postgresLedgerRows(queries: Queries): LedgerRepository {
  const writeRows = rowsStatement(queries.schema)
  const writeBoth = progressStatement(queries.schema)
  const cancel = cancelledStatement(queries.schema)
  const closeOrphans = orphansStatement(queries.schema)
  return {
    async write(batch: LedgerBatch): Promise<void> {
      const stored = toStoredBatch(batch)
      const { rows, progress } = writtenRows(stored)
      if (progress.length > 0) await queries.run(writeBoth, [JSON.stringify(rows), JSON.stringify(progress)])
      else if (rows.length > 0) await queries.run(writeRows, [JSON.stringify(rows)])
      // By itself: each of the two may be run again.
      if (stored.cancelled.length > 0) await queries.run(cancel, [JSON.stringify(stored.cancelled)])
    },
    async closeOrphans(silentMs: number): Promise<number> {
      const [row] = await queries.run(closeOrphans, [String(silentMs)])
      return countIn(row, 'count')
    },
    usage: query => usageOf(queries, query),
  }
}

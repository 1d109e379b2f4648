import { type LedgerBatch, type LedgerRepository, storableText, toStoredBatch } from '@sluice/core/store'
import {
  cancelledStatement,
  deletePrincipalStatement,
  orphansStatement,
  progressStatement,
  rowsStatement,
} from './ledger-statements.ts'
import { mergeBatch } from './merge-batch.ts'
import type { Queries } from './queries.ts'
import { integerColumn } from './row-values.ts'
import { queryUsage } from './usage.ts'

/** How many records one transaction deletes, so that it holds its locks for a short time. */
const deletedAtOnce = 10_000

/** Creates the ledger repository in PostgreSQL. */
export function postgresLedgerRepository(queries: Queries): LedgerRepository {
  const writeRows = rowsStatement(queries.schema)
  const writeBoth = progressStatement(queries.schema)
  const cancel = cancelledStatement(queries.schema)
  const deletePrincipal = deletePrincipalStatement(queries.schema)
  const closeOrphans = orphansStatement(queries.schema)
  return {
    async write(batch: LedgerBatch): Promise<void> {
      const stored = toStoredBatch(batch)
      const { rows, progress } = mergeBatch(stored)
      if (progress.length > 0) await queries.run(writeBoth, [JSON.stringify(rows), JSON.stringify(progress)])
      else if (rows.length > 0) await queries.run(writeRows, [JSON.stringify(rows)])
      // A statement of its own: each of the two can be repeated.
      if (stored.cancelled.length > 0) await queries.run(cancel, [JSON.stringify(stored.cancelled)])
    },
    async closeOrphans(silentMs: number): Promise<number> {
      const [row] = await queries.run(closeOrphans, [String(silentMs)])
      return integerColumn(row, 'count')
    },
    usage: query => queryUsage(queries, query),
    async deletePrincipal({ id, source = '' }) {
      const params = [storableText(id), storableText(source), String(deletedAtOnce)]
      let all = 0
      // Another process may delete some of a batch first: then fewer are deleted than found.
      for (;;) {
        const [row] = await queries.run(deletePrincipal, params)
        all += integerColumn(row, 'deleted')
        if (integerColumn(row, 'found') === 0) return all
      }
    },
  }
}

import type { Charge, LedgerClosing, LedgerEntry, UsageQuery, UsageRow } from './ledger.ts'
import type { PrincipalId } from './principal.ts'

/** The changes of one `write`. Each list may be empty. */
export interface LedgerBatch {
  /** Requests that have started. */
  readonly entries: readonly LedgerEntry[]
  /** Requests that have ended. */
  readonly closings: readonly LedgerClosing[]
  /**
   * Heartbeats: signs that the processes of open requests are alive, with the usage so far if it is known. Ids that are
   * unknown or closed are ignored.
   */
  readonly progress: readonly { readonly id: string; readonly charge: Charge | undefined }[]
  /** Ids of entries to delete, because their requests were rejected. Entries with a `LedgerClosing` stay. Default: none. */
  readonly cancelled?: readonly string[]
}

/**
 * Reads and writes the table of a ledger: one implementation per database.
 *
 * Convert batches with `toStoredBatch` before writing. It replaces texts and numbers that a database cannot store. A closing
 * without a charge has no usage and costs 0. Store the kind of an entry; an entry without one is a request.
 *
 * `ledgerConformance` of `@sluice/testing/conformance` tests all of it.
 */
export interface LedgerRepository {
  /**
   * Writes a batch in one transaction. It is idempotent: existing entries and closings stay as they are. The first of two
   * closings of a request wins, also within a batch, but any closing replaces that of `closeOrphans`. A closing without an
   * existing entry inserts the complete record.
   */
  write(batch: LedgerBatch): Promise<void>
  /**
   * Closes orphans: open records without a heartbeat for at least `silentMs` milliseconds, by the clock of the database,
   * because their process crashed. Their outcome is `lost`, their charge the last known one, marked as estimated. Returns how
   * many it closed.
   */
  closeOrphans(silentMs: number): Promise<number>
  /**
   * Returns sums, sorted by their dimensions: texts by code point, `null` last. Open requests count in `requests` and `open`
   * only. Validate the query with `validateUsageQuery`, which also sets the default `kind`. Throws `TypeError` for an
   * invalid query. Tag names come from users: pass them as parameters, not as SQL.
   */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
  /**
   * Deletes all records of a principal, open ones and those of discarded calls too, and returns how many there were. Both
   * the id and the source have to match: a principal without a source has the records without one. Many records are deleted
   * in several transactions. Default: records cannot be deleted.
   */
  deletePrincipal?(principal: PrincipalId): Promise<number>
}

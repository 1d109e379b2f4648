import type { Charge, LedgerClosing, LedgerEntry, UsageQuery, UsageRow } from './ledger.ts'

/** What one write brings: any of it may be empty. */
export interface LedgerBatch {
  readonly entries: readonly LedgerEntry[]
  readonly closings: readonly LedgerClosing[]
  /**
   * Of requests that are still open: they live, and have used so much; without a charge, only that they live. What is
   * not there, or closed, is passed over.
   */
  readonly progress: readonly { readonly id: string; readonly charge: Charge | undefined }[]
  /**
   * Ids of entries whose requests were refused: there is no record of them afterwards, unless it was closed by a
   * `LedgerClosing`. Absent: none.
   */
  readonly cancelled?: readonly string[]
}

/**
 * The table under a ledger, in one database or another. `write` is all or nothing and may come again with the same
 * batch: an entry that is there is left as it is, and so is the closing of one that is closed; but a closing stands
 * above `closeOrphans`. A closing whose entry was never written makes the whole record. Of two closings of one request
 * the first stands, also within one batch.
 *
 * What is written goes through `storedBatch`: texts and numbers that a database cannot hold are mended there. A closing
 * without a charge is a use of nothing that costs 0. An entry's kind is kept, and what has none is a request.
 *
 * `ledgerConformance` of `@sluice/testing/conformance` tests all of it.
 */
export interface LedgerRepository {
  write(batch: LedgerBatch): Promise<void>
  /**
   * Closes what is open and of which nothing was heard for `silentMs`, by the database's own clock, with outcome
   * `lost` and what is known of its charge, as estimated. Resolves to how many.
   */
  closeOrphans(silentMs: number): Promise<number>
  /**
   * Sums, in the order of their dimensions: texts by code point, `null` last. Of an open request nothing is summed but
   * that it is there and open. Of the kinds those are counted that `checkedUsageQuery` gives: requests alone, where the
   * query names none. Throws `TypeError` for a query that it refuses. A tag's name is data.
   */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
}

import type { LedgerBatch } from './ledger-repository.ts'

/** Keeps batches while the database of a ledger is away, in their order, across a crash of the process. */
export interface Journal {
  /** Resolves when the batch would survive a crash. Rejects where there is no room for it: then nothing of it is kept. */
  append(batch: LedgerBatch): Promise<void>
  /**
   * Hands over what is kept, oldest first, one batch after the other, also what processes that have died left; and
   * forgets each batch when `write` has resolved. Rejects with what `write` rejected with, and keeps the rest. A crash
   * between the two hands a batch over twice: `LedgerRows.write` takes that. One at a time; `append` may be called
   * meanwhile.
   */
  replay(write: (batch: LedgerBatch) => Promise<void>): Promise<void>
  /** Whether anything is kept. */
  readonly empty: boolean
}

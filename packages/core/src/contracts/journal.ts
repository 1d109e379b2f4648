import type { LedgerBatch } from './ledger-repository.ts'

/** Stores ledger batches durably, in order, while the database is unavailable. They survive a crash of the process. */
export interface Journal {
  /** Resolves once the batch is durable. Rejects if there is no space for it: then none of it is stored. */
  append(batch: LedgerBatch): Promise<void>
  /**
   * Calls `write` with each stored batch in turn, oldest first, including those of processes that crashed. Deletes a batch
   * once `write` has resolved. Rejects with the error of `write` and keeps the remaining batches.
   *
   * After a crash a batch may be written twice, so `write` must be idempotent, as `LedgerRepository.write` is. Only one
   * `replay` runs at a time; `append` may be called during it.
   */
  replay(write: (batch: LedgerBatch) => Promise<void>): Promise<void>
  /** Whether no batch is stored. */
  readonly empty: boolean
}

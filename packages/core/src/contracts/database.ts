import type { KeyStore } from './key-store.ts'
import type { Ledger, UsageQuery, UsageRow } from './ledger.ts'

/** A database that keeps keys and the ledger: one for each database system, with the same face. */
export interface Database {
  /** For `apiKeys`, and to issue keys. */
  readonly keys: KeyStore
  /** For `createGateway`. */
  readonly ledger: Ledger
  /** Sums over the ledger. Throws `TypeError` for a query that it cannot answer. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
  /** Brings the tables to the version that this package needs. Two processes may do it at the same time. */
  migrate(): Promise<void>
  /** Writes what waits, and lets the database go. Safe to call twice. */
  close(): Promise<void>
}

import type { AlertStore } from './alert-store.ts'
import type { BodyLogRepository } from './body-log.ts'
import type { KeyStore } from './key-store.ts'
import type { Ledger, UsageQuery, UsageRow } from './ledger.ts'
import type { RequestLogRepository } from './request-log.ts'

/** A database with API keys, the ledger, the request log and its bodies, and claims of alerts. Each database package returns one, such as `openPostgres`. */
export interface Database {
  /** Issues and manages keys. Pass it to `apiKeys`. */
  readonly keys: KeyStore
  /** Records requests. Pass it to `createGateway`. */
  readonly ledger: Ledger
  /** The table of the request log. Pass it to `createRequestLog` of `@sluice/log`. */
  readonly requestLog: RequestLogRepository
  /** The table of encrypted bodies. Pass it to `createBodyLog` of `@sluice/log`. */
  readonly bodyLog: BodyLogRepository
  /** Decides which process sends an alert. Pass it to `createAlerts` of `@sluice/alerts` as `store`. */
  readonly alertStore: AlertStore
  /** Sums the usage that the ledger has recorded. Throws `TypeError` for an invalid query. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
  /** Creates or updates the tables. Several processes may call it at the same time. */
  migrate(): Promise<void>
  /** Writes pending records and closes the connections. Calling it again has no effect. */
  close(): Promise<void>
}

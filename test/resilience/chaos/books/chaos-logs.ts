import type { UsageRow } from '@sluice/core/ledger'
import type { ChaosPlan } from '../plan.ts'
import type { Generation } from '../round.ts'
import type { LedgerRow } from '../stores/ledger-database.ts'
import type { LimitsAtRest } from '../stores/limits-at-rest.ts'
import type { ClientLog } from '../traffic/crowd.ts'
import type { UpstreamLog } from '../traffic/upstream.ts'

/** All that was written down in a run, when everything has come to rest. */
export interface ChaosLogs {
  readonly plan: ChaosPlan
  /** The processes of the gateway, one for each round and a last one. */
  readonly generations: readonly Generation[]
  /** By mark. */
  readonly clients: ReadonlyMap<string, ClientLog>
  readonly upstream: {
    readonly logs: ReadonlyMap<string, UpstreamLog>
    readonly mostLive: number
    readonly faults: readonly string[]
  }
  readonly rows: readonly LedgerRow[]
  readonly usage: readonly UsageRow[]
  /** What was still to be written. */
  readonly waiting: readonly string[]
  readonly limits: LimitsAtRest
}

import type { UsageRow } from '@sluice/core/ledger'
import type { DatabaseSettings } from '../gateway/gateway-settings.ts'

/** One record, as it stands in its table. */
export interface LedgerRow {
  readonly mark: string
  readonly model: string
  readonly stream: boolean
  readonly closed: boolean
  /** `null` while it is open. */
  readonly outcome: string | null
  readonly attempts: number | null
  readonly promptTokens: number
  readonly completionTokens: number
  readonly nanoDollars: number | null
  readonly estimated: boolean
}

/** How a store is away: its process ends, or it stands still; somebody else holds a file. */
export type Outage = 'stopped' | 'killed' | 'frozen' | 'held'

/** The database of a ledger, from outside. */
export interface LedgerDatabase extends AsyncDisposable {
  readonly name: string
  readonly settings: DatabaseSettings
  /** What can happen to it. */
  readonly outages: readonly [Outage, ...Outage[]]
  /** Whether records survive a process that is killed while the database is away. */
  readonly journalled: boolean
  /** Takes it away; resolves to what brings it back. */
  takeAway(outage: Outage): Promise<() => Promise<void>>
  rows(): Promise<readonly LedgerRow[]>
  /** The sums by caller, as the ledger itself tells them. */
  usageByKey(): Promise<readonly UsageRow[]>
  /** What still waits to be written: files of journals. */
  waiting(): Promise<readonly string[]>
}

type Column = string | number | bigint | boolean | ArrayBuffer | null

/** A row of either table: columns have the same names but for the cost. */
export function ledgerRow(columns: Readonly<Record<string, unknown>>): LedgerRow {
  const column = (name: string) => (columns[name] ?? null) as Column
  const count = (name: string) => (column(name) === null ? null : Number(column(name)))
  return {
    mark: String(column('principal')),
    model: String(column('model')),
    stream: Boolean(column('stream')),
    closed: column('closed_at') !== null,
    outcome: column('outcome') === null ? null : String(column('outcome')),
    attempts: count('attempts'),
    promptTokens: Number(column('prompt_tokens')),
    completionTokens: Number(column('completion_tokens')),
    nanoDollars: count('nano_dollars'),
    estimated: Boolean(column('estimated')),
  }
}

import type { LedgerRow } from '../stores/ledger-database.ts'
import type { ClientLog } from '../traffic/crowd.ts'
import type { UpstreamLog } from '../traffic/upstream.ts'
import type { ChaosLogs } from './chaos-logs.ts'

/** One request in all logs. */
export interface Account {
  readonly mark: string
  readonly client: ClientLog
  readonly row: LedgerRow | undefined
  readonly upstream: UpstreamLog | undefined
  /** Billionths of a dollar that the limits have charged. */
  readonly spent: number
  /** Whether its process was killed before or shortly after it ended: its last word may be in one log only. */
  readonly doubtful: boolean
  /** Whether it was still under way when its process was killed. */
  readonly killed: boolean
  /** How long before the end of its process it ended, in milliseconds; negative where it was after it. */
  readonly beforeEndMs: number
}

/** What stands in the logs that belongs to no request, or twice to one. */
export interface Strays {
  readonly accounts: readonly Account[]
  readonly strays: readonly string[]
}

/** Joins the logs by mark. */
export function accountsOf(logs: ChaosLogs): Strays {
  const strays: string[] = []
  const rows = new Map<string, LedgerRow>()
  for (const row of logs.rows) {
    if (rows.has(row.mark)) strays.push(`${row.mark}: a second row in the ledger`)
    if (!logs.clients.has(row.mark)) strays.push(`${row.mark}: a row of nobody's request`)
    rows.set(row.mark, row)
  }
  for (const mark of logs.upstream.logs.keys()) {
    if (!logs.clients.has(mark)) strays.push(`${mark}: nobody's request came to the upstream`)
  }
  const accounts = [...logs.clients].map(([mark, client]): Account => {
    const generation = logs.generations[client.generation]
    if (generation === undefined) throw new Error(`There is no process ${client.generation}.`)
    const { signal, signalledAt, doubtFrom } = generation
    return {
      mark,
      client,
      row: rows.get(mark),
      upstream: logs.upstream.logs.get(mark),
      spent: logs.limits.spent.get(mark) ?? Number.NaN,
      doubtful: client.endedAt >= doubtFrom,
      killed: signal === 'SIGKILL' && client.endedAt >= signalledAt,
      beforeEndMs: signalledAt - client.endedAt,
    }
  })
  return { accounts, strays }
}

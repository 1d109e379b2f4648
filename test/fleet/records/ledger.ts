import type { PostgresPair } from '../servers/postgres.ts'
import type { LedgerRow } from './records.ts'

/** The rows of the calls whose marks begin with `prefix`. */
export async function ledgerRows(postgres: PostgresPair, prefix: string): Promise<readonly LedgerRow[]> {
  const rows = await postgres.query(
    `select *, tags->>'metadata.mark' as mark from sluice.requests where tags->>'metadata.mark' like '${prefix}-%'`,
  )
  return rows.map(row => ({
    mark: String(row.mark),
    principal: String(row.principal),
    requestId: String(row.request_id),
    kind: String(row.kind),
    closed: row.closed_at !== null,
    outcome: String(row.outcome),
    attempts: Number(row.attempts),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    estimated: row.estimated === true,
    nanoDollars: Number(row.nano_dollars),
    openedAt: (row.opened_at as Date).getTime(),
  }))
}

export async function openRows(postgres: PostgresPair): Promise<number> {
  const [row] = await postgres.query('select count(*) as count from sluice.requests where closed_at is null')
  return Number(row?.count)
}

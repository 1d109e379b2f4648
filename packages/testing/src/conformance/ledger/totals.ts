import assert from 'node:assert/strict'
import type { LedgerRepository, UsageRow } from '@sluice/core/ledger'

const nothing: UsageRow = {
  by: {},
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  unpriced: 0,
  estimated: 0,
  open: 0,
}

/** Asserts the exact total of a ledger. */
export async function expectTotals(rows: LedgerRepository, totals: Partial<UsageRow>): Promise<void> {
  assert.deepEqual(await rows.usage({ by: [] }), [{ ...nothing, ...totals }])
}

/** Returns the sums of several `charge(tokens)`. */
export function sumsOf(tokens: number): Partial<UsageRow> {
  return {
    promptTokens: tokens,
    completionTokens: tokens * 2,
    cachedTokens: tokens * 3,
    reasoningTokens: tokens * 4,
    cost: tokens / 1_000,
  }
}

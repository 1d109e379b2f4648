import type { BudgetWindow } from '@sluice/core'
import type { StoredKey } from '@sluice/core/keys'
import type { UsageRow } from '@sluice/core/ledger'
import type { KeyBudget, KeyBudgets } from '../api.ts'
import { callStore } from '../call-store.ts'
import type { ConsoleState } from '../console-state.ts'
import { isKey } from '../keys/is-key.ts'
import type { KeyApi } from '../keys/key-api.ts'
import { ownBudgets, windowStart } from '../keys/own-budgets.ts'

const maxBudgets = 8

/**
 * The budgets of stored keys that no request was charged to in this process, with what the ledger has of their windows. Rejects
 * with 503.
 */
export async function keyBudgets(
  keys: KeyApi,
  { budgets, usage, now }: Pick<ConsoleState, 'budgets' | 'usage' | 'now'>,
): Promise<KeyBudgets> {
  const at = now()
  const charged = new Set(
    budgets
      .list()
      .filter(({ subject }) => isKey(subject))
      .map(({ subject, window, limit }) => identity(subject.key ?? '', window, limit)),
  )
  const found = (await keys.list()).keys
    .filter(key => !key.disabled && (key.expiresAt === null || key.expiresAt > at))
    .flatMap(budgetsOf)
    .filter(({ key, window, limit }) => !charged.has(identity(key, window, limit)))
  if (usage === undefined) return shortened(found)
  const spent = new Map(
    await Promise.all(
      [...new Set(found.map(({ window }) => window))].map(async window => {
        const from = windowStart(window, at)
        const rows = await callStore('ledger', () => usage({ by: ['key', 'source'], from }))
        return [window, spendOf(rows)] as const
      }),
    ),
  )
  return shortened(found.map(row => ({ ...row, spent: spent.get(row.window)?.get(row.key) ?? 0 })))
}

function budgetsOf(key: Pick<StoredKey, 'id' | 'name' | 'limits'>): readonly KeyBudget[] {
  return ownBudgets(key).map(({ per, limit, mode }) => ({
    key: key.id,
    name: key.name,
    window: per as BudgetWindow,
    limit,
    spent: null,
    dryRun: mode === 'dryRun',
  }))
}

function spendOf(rows: readonly UsageRow[]): ReadonlyMap<string, number> {
  return new Map(rows.filter(({ by }) => isKey(by)).map(({ by, cost }) => [by.key ?? '', cost] as const))
}

function shortened(found: readonly KeyBudget[]): KeyBudgets {
  const sorted = found.toSorted((one, other) => shareOf(other) - shareOf(one) || other.limit - one.limit)
  return { budgets: sorted.slice(0, maxBudgets), moreBudgets: Math.max(0, sorted.length - maxBudgets) }
}

/** A limit of 0 is spent from the start. */
function shareOf({ spent, limit }: KeyBudget): number {
  return limit > 0 ? (spent ?? 0) / limit : 1
}

function identity(key: string, window: string, limit: number): string {
  return JSON.stringify([key, window, limit])
}

import type { BudgetWindow, LimitRuleData } from '@sluice/core'
import type { KeyRow } from '../../src/api.ts'
import { ownBudgets } from '../../src/keys/own-budgets.ts'

/** What a key spent since the beginning of each window, in US dollars. */
export type SpendByWindow = ReadonlyMap<BudgetWindow, ReadonlyMap<string, number>>

/** What a key spent of its budget. */
export interface BudgetSpend {
  readonly rule: LimitRuleData
  readonly spent: number
  /** 1: all of it. */
  readonly share: number
}

/** The windows that have to be summed to compare keys with their budgets; the month is shown for keys without one. */
export function spendWindows(keys: readonly KeyRow[]): readonly BudgetWindow[] {
  const windows = keys.flatMap(key => ownBudgets(key).map(({ per }) => per as BudgetWindow))
  return [...new Set<BudgetWindow>(['month', ...windows])]
}

/** The budget of a key of which the largest share is spent; `undefined` if it has none that the sums can be compared with. */
export function budgetSpend(key: KeyRow, spend: SpendByWindow): BudgetSpend | undefined {
  const budgets = ownBudgets(key).map(rule => {
    const spent = spend.get(rule.per as BudgetWindow)?.get(key.id) ?? 0
    return { rule, spent, share: spent / rule.limit }
  })
  return budgets.sort((one, other) => other.share - one.share)[0]
}

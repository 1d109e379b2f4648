import type { BudgetWindow, LimitRuleData } from '@sluice/core'
import type { StoredKey } from '@sluice/core/keys'

/** The budgets that count all requests of a key, and nobody else's. */
export function ownBudgets({ limits }: Pick<StoredKey, 'limits'>): readonly LimitRuleData[] {
  return (limits ?? []).filter(
    ({ kind, scopes, models, operations }) =>
      kind === 'budget' &&
      models === undefined &&
      operations === undefined &&
      (scopes === undefined || scopes.join() === 'key'),
  )
}

/** When a window began, by the calendar in UTC. */
export function windowStart(window: BudgetWindow, now: number): number {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  switch (window) {
    case 'hour':
      return Date.UTC(year, month, day, date.getUTCHours())
    case 'day':
      return Date.UTC(year, month, day)
    case 'week':
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7))
    case 'month':
      return Date.UTC(year, month)
    default:
      return 0
  }
}

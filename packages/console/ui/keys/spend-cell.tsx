import type { KeyRow } from '../../src/api.ts'
import { money } from '../format/money.ts'
import { budgetSpend, type SpendByWindow } from './key-spend.ts'
import { limitText } from './limit-text.ts'

/** What a key spent: of its budget, or this month where it has none. */
export function SpendCell({ row, spend }: { row: KeyRow; spend: SpendByWindow | undefined }) {
  if (spend === undefined) return <span class="muted">–</span>
  const budget = budgetSpend(row, spend)
  if (budget === undefined) {
    return <span class="spend-text muted">{money(spend.get('month')?.get(row.id) ?? 0)} this month</span>
  }
  const { rule, spent, share } = budget
  const look = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'quiet'
  return (
    <>
      <span class="spend-text">
        {money(spent)} of {limitText(rule)}
      </span>
      <span class="spend-bar" aria-hidden="true">
        {spent > 0 && <span class={look} style={{ width: `${Math.min(100, share * 100)}%` }} />}
      </span>
    </>
  )
}

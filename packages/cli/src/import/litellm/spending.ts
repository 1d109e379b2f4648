import type { BudgetWindow, LimitRuleData } from '@sluice/core'
import type { Part } from '../part.ts'
import type { Reading } from '../reading.ts'

const windows: Readonly<Record<string, BudgetWindow>> = {
  '1h': 'hour',
  '60m': 'hour',
  '24h': 'day',
  '1d': 'day',
  '7d': 'week',
  '1w': 'week',
  '30d': 'month',
  '1mo': 'month',
}

/** The budget of all callers together. */
export function spendingOf(settings: Part, reading: Reading): LimitRuleData[] {
  const [amount, span] = [settings.at('max_budget'), settings.at('budget_duration')]
  const limit = Number(amount.value) > 0 ? amount.number() : undefined
  if (limit === undefined) return []
  const per = span.isThere ? windows[String(span.value)] : 'ever'
  if (per === undefined) {
    amount.lose(
      'A budget is renewed by the hour, day, week or month.',
      'Add to limits: { kind: budget, limit: ..., currency: usd, per: month, scopes: [gateway] }.',
    )
    span.lose('There is no such window.', 'See the budget.')
    return []
  }
  span.take()
  reading.note(
    'A budget goes by the calendar in UTC, and a request that is answered by a model without a price is refused. Prices come from the package @pydantic/genai-prices where the file has none: install it beside sluice.',
  )
  return [{ kind: 'budget', limit, currency: 'usd', per, scopes: ['gateway'] }]
}

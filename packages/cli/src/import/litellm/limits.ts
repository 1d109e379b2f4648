import type { BudgetWindow, LimitRuleData } from '@sluice/core'
import type { ImportNode, ImportReader } from '../import-reader.ts'
import { type ChosenStrategy, type Group, levelsOf, type WeightKey, weightKey, weightKeys } from './groups.ts'

/**
 * Imports `weight`, `rpm` and `tpm`. The last two bound the model by their sum. When LiteLLM chooses by chance, it
 * also takes one of the three for weights.
 */
export function boundsOf(
  group: Group,
  { strategy, byUsage }: ChosenStrategy,
  reader: ImportReader,
): LimitRuleData[] {
  const bounded = (['rpm', 'tpm'] as const).filter(key => isBounded(group, key))
  for (const level of levelsOf(group)) {
    const weight = strategy === 'weighted' && level.length > 1 ? weightKey(level) : undefined
    if (weight !== undefined) for (const deployment of level) deployment[weight].markRead()
    const others = weightKeys.filter(key => key !== weight && !bounded.some(each => each === key))
    for (const key of others)
      for (const deployment of level) deployment[key].reportUnsupported(...without(key))
  }
  if (bounded.length > 0 && !byUsage) reader.note(enforced)
  return bounded.map(key => ruleOf(group, key))
}

const enforced =
  'rpm and tpm limit the model as a whole, in limits. LiteLLM enforces them with usage-based-routing only: remove a rule where a number was meant as a weight alone.'

function without(key: WeightKey): readonly [string, string] {
  if (key === 'weight') return ['It has no effect here, as in LiteLLM.', 'Nothing.']
  const kind = key === 'rpm' ? 'requests' : 'tokens'
  return [
    'Limits apply to the model as a whole, and not all of its deployments have a whole number from 1.',
    `To limit the model, add to limits: { kind: ${kind}, limit: ..., per: minute, scopes: [gateway], models: [...] }.`,
  ]
}

/** Whether all deployments have one. */
function isBounded({ deployments }: Group, key: 'rpm' | 'tpm'): boolean {
  return deployments.every(({ [key]: part }) => Number.isSafeInteger(part.numeric) && part.numeric! >= 1)
}

function ruleOf({ name, deployments }: Group, key: 'rpm' | 'tpm'): LimitRuleData {
  const limit = deployments.reduce((sum, { [key]: part }) => sum + (part.count(1) ?? 0), 0)
  const kind = key === 'rpm' ? 'requests' : 'tokens'
  return { kind, limit, per: 'minute', scopes: ['gateway'], models: [name] }
}

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

function windowOf(value: unknown): BudgetWindow | undefined {
  return typeof value === 'string' && Object.hasOwn(windows, value) ? windows[value] : undefined
}

/** The budget of all callers together. */
export function spendingOf(settings: ImportNode, reader: ImportReader): LimitRuleData[] {
  const [amount, span] = [settings.at('max_budget'), settings.at('budget_duration')]
  const limit = (amount.numeric ?? 0) > 0 ? amount.number() : undefined
  if (limit === undefined) return []
  const per = span.isThere ? windowOf(span.value) : 'ever'
  if (per === undefined) {
    amount.reportUnsupported(
      'Budgets are per hour, day, week or month.',
      'Add to limits: { kind: budget, limit: ..., currency: usd, per: month, scopes: [gateway] }.',
    )
    span.reportUnsupported('Unsupported window.', 'See the budget.')
    return []
  }
  span.markRead()
  reader.note(
    'Budgets follow the calendar in UTC, and requests to a model without a price are rejected. Prices come from the package @pydantic/genai-prices if the file has none: install it beside sluice.',
  )
  return [{ kind: 'budget', limit, currency: 'usd', per, scopes: ['gateway'] }]
}

import type { LimitRuleData } from '@sluice/core'
import { type Group, levelsOf } from './group.ts'
import type { ChosenStrategy } from './strategy.ts'
import { type WeightKey, weightKey, weightKeys } from './weight-key.ts'

/**
 * What becomes of `weight`, `rpm` and `tpm`. With a strategy by usage the last two bound a group, and so the model is
 * bound here by their sum. With chance LiteLLM takes one of the three for weights; else they say nothing.
 */
export function boundsOf(group: Group, { strategy, byUsage }: ChosenStrategy): LimitRuleData[] {
  const rules = byUsage ? [...sumOf(group, 'rpm'), ...sumOf(group, 'tpm')] : []
  for (const level of levelsOf(group)) {
    const weight = strategy === 'weighted' && level.length > 1 ? weightKey(level) : undefined
    if (weight !== undefined) for (const deployment of level) deployment[weight].take()
    if (byUsage) continue
    for (const key of weightKeys.filter(other => other !== weight))
      for (const deployment of level) deployment[key].lose(...without(key))
  }
  return rules
}

function without(key: WeightKey): readonly [string, string] {
  if (key === 'weight') return ['It decides nothing here, and neither with LiteLLM.', 'Nothing.']
  const kind = key === 'rpm' ? 'requests' : 'tokens'
  return [
    'LiteLLM bounds nobody by it with this strategy, and a place has no limit of its own here.',
    `To bound the model, add to limits: { kind: ${kind}, limit: ..., per: minute, scopes: [gateway], models: [...] }.`,
  ]
}

/** Where all deployments have one. */
function sumOf({ name, deployments }: Group, key: 'rpm' | 'tpm'): LimitRuleData[] {
  if (!deployments.every(({ [key]: part }) => Number(part.value) >= 1)) return []
  const numbers = deployments.flatMap(({ [key]: part }) => part.count(1) ?? [])
  if (numbers.length < deployments.length) return []
  const limit = numbers.reduce((sum, number) => sum + number, 0)
  const kind = key === 'rpm' ? 'requests' : 'tokens'
  return [{ kind, limit, per: 'minute', scopes: ['gateway'], models: [name] }]
}

import { type LimitRuleData, limitRule } from '@sluice/core'
import type { TypedConfig } from '../config.ts'
import { triedOptions } from '../routes/route-scope.ts'
import type { Place } from '../shape/shape.ts'
import { checkModelNames } from './check-model-names.ts'

/** Each rule by itself, so that all faults are told. */
export function checkRules(
  rules: readonly LimitRuleData[] | undefined,
  config: TypedConfig,
  place: Place,
): void {
  for (const [at, rule] of (rules ?? []).entries()) {
    const own = place.at(at)
    if (place.faults.has(own.path)) continue
    checkModelNames(rule.models, config, own.at('models'))
    triedOptions(own, () => limitRule(rule))
  }
}

import type { LimitRuleData } from '@sluice/core'
import { limitRule } from '@sluice/core/limits'
import type { TypedConfig } from '../config.ts'
import { didYouMean } from '../faults/fault-list.ts'
import { fits } from '../routes/route-scope.ts'
import type { Place } from '../shape/shape.ts'
import { triedOptions } from '../shape/tried.ts'

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

/** A name that no model has concerns nothing, and was meant to. Patterns may be ahead of their models. */
export function checkModelNames(
  names: readonly string[] | undefined,
  config: TypedConfig,
  place: Place,
): void {
  const models = Object.keys(config.models)
  for (const [at, name] of (names ?? []).entries()) {
    if (name.includes('*') || models.includes(name) || models.some(pattern => fits(pattern, name))) continue
    place.at(at).wrong(name, 'a model of this configuration, or a pattern', didYouMean(name, models))
  }
}

import type { LimitRuleData } from '@sluice/core'
import { limitRule } from '@sluice/core/limits'
import type { TypedConfig } from '../config.ts'
import { suggest } from '../issues/issue-list.ts'
import { fits } from '../routes/route-scope.ts'
import { collectOptionIssues } from '../shape/collect-issues.ts'
import type { ConfigLocation } from '../shape/shape.ts'

/** Checks each rule by itself, so that all issues are reported. */
export function checkRules(
  rules: readonly LimitRuleData[] | undefined,
  config: TypedConfig,
  location: ConfigLocation,
): void {
  for (const [at, rule] of (rules ?? []).entries()) {
    const own = location.at(at)
    if (location.issues.has(own.path)) continue
    checkModelNames(rule.models, config, own.at('models'))
    collectOptionIssues(own, () => limitRule(rule))
  }
}

/** A name that no model has concerns nothing, and was meant to. Patterns may be ahead of their models. */
export function checkModelNames(
  names: readonly string[] | undefined,
  config: TypedConfig,
  location: ConfigLocation,
): void {
  const models = Object.keys(config.models)
  for (const [at, name] of (names ?? []).entries()) {
    if (name.includes('*') || models.includes(name) || models.some(pattern => fits(pattern, name))) continue
    location.at(at).reject(name, 'a model of this configuration, or a pattern', suggest(name, models))
  }
}

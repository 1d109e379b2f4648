import type { RouteCondition } from '@sluice/core'
import {
  allOf,
  anyOf,
  bodyLargerThan,
  hasMedia,
  hasTag,
  hasTools,
  modelMatches,
  noneOf,
  promptLongerThan,
} from '@sluice/core/routing'
import type { ConditionConfig } from '../config.ts'

/** Compiles a condition from data of a valid shape. */
export function compileCondition(config: ConditionConfig): RouteCondition {
  const {
    tag = {},
    promptLongerThan: tokens,
    bodyLargerThan: bytes,
    modelMatches: names,
    anyOf: some,
    noneOf: none,
  } = config
  const conditions = Object.entries(tag).map(([name, value]) => hasTag(name, value))
  if (tokens !== undefined) conditions.push(promptLongerThan(tokens))
  if (bytes !== undefined) conditions.push(bodyLargerThan(bytes))
  if (config.hasTools) conditions.push(hasTools)
  if (config.hasMedia) conditions.push(hasMedia())
  if (names !== undefined) {
    const [first, ...others] = [names].flat()
    conditions.push(modelMatches(first!, ...others))
  }
  if (some !== undefined) conditions.push(anyOf(...some.map(compileCondition)))
  if (none !== undefined) conditions.push(noneOf(...none.map(compileCondition)))
  return conditions.length === 1 ? conditions[0]! : allOf(...conditions)
}

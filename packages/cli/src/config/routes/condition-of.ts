import {
  allOf,
  anyOf,
  askedAs,
  bodyAbove,
  holdsMedia,
  noneOf,
  offersTools,
  promptAbove,
  type RouteCondition,
  taggedWith,
} from '@sluice/core'
import type { ConditionConfig } from '../config.ts'

/** A condition out of data whose shape is sound. */
export function conditionOf(config: ConditionConfig): RouteCondition {
  const {
    tag = {},
    promptAbove: tokens,
    bodyAbove: bytes,
    askedAs: names,
    anyOf: some,
    noneOf: none,
  } = config
  const conditions = Object.entries(tag).map(([name, value]) => taggedWith(name, value))
  if (tokens !== undefined) conditions.push(promptAbove(tokens))
  if (bytes !== undefined) conditions.push(bodyAbove(bytes))
  if (config.offersTools) conditions.push(offersTools)
  if (config.holdsMedia) conditions.push(holdsMedia())
  if (names !== undefined) {
    const [first, ...others] = [names].flat()
    conditions.push(askedAs(first!, ...others))
  }
  if (some !== undefined) conditions.push(anyOf(...some.map(conditionOf)))
  if (none !== undefined) conditions.push(noneOf(...none.map(conditionOf)))
  return conditions.length === 1 ? conditions[0]! : allOf(...conditions)
}

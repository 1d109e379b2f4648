import type { Principal } from '../contracts/principal.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { memberOf } from '../primitives/own-members.ts'

/** Whether a principal's `models` allow a model. A principal without `models` may use all. */
export function modelPatterns(principal: Principal, model: string): boolean {
  const models = memberOf(principal, 'models')
  return models === undefined || models.some(pattern => matchesPattern(pattern, model))
}

import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'

/** Says something of a request, before it is validated. */
export type RouteCondition = (draft: Draft, context: RouteContext) => boolean

/** Throws `TypeError` for an answer that is neither yes nor no, such as a promise: not all that is truthy is a yes. */
export function holds(condition: RouteCondition, draft: Draft, context: RouteContext): boolean {
  const answer: unknown = condition(draft, context)
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`A condition of a route gave ${typeof answer}, expected true or false.`)
}

/** Throws `ConfigurationError` for what is no condition. */
export function checkConditions(conditions: readonly unknown[], owner: string): void {
  for (const [at, condition] of conditions.entries()) {
    if (typeof condition === 'function' && !('provider' in condition)) continue
    throw configurationError(owner, [at], condition, 'a condition, such as promptAbove(10_000)')
  }
  if (conditions.length === 0) throw configurationError(owner, [], conditions, 'a condition at least')
}

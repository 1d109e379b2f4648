import { type CombinedRoute, combinedRoute } from './combined-route.ts'
import type { ModelEntry, NamesIn } from './model-entry.ts'
import { oneOf } from './one-of-steps.ts'
import { partOf } from './parts.ts'
import { checkConditions, holds, type RouteCondition } from './route-condition.ts'

/**
 * The first entry for the requests of which the condition holds, the second one for all others:
 * `when(holdsMedia('image'), vision, text)`. Neither stands in for the other.
 *
 * Throws `TypeError` for what is no condition, or no entry.
 */
export function when<const Then extends ModelEntry, const Otherwise extends ModelEntry>(
  condition: RouteCondition,
  then: Then,
  otherwise: Otherwise,
): CombinedRoute<NamesIn<Then> | NamesIn<Otherwise>> {
  checkConditions([condition], 'when()')
  const parts = [
    partOf(then, { source: 'when()', path: ['use'] }),
    partOf(otherwise, { source: 'when()', path: ['otherwise'] }),
  ]
  return combinedRoute(parts, steps => oneOf(steps, (...asked) => (holds(condition, ...asked) ? 0 : 1)))
}

import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { checkWeights } from './entry-checks.ts'
import { byLeast, ranked } from './linked-combinations.ts'
import { distinctIds, type RouteKey, rendezvous, routeKey } from './route-key.ts'
import { type WeightedEntry, weightedPair } from './weighted.ts'

/** An entry, or an entry with its weight. */
export type StickyEntry = ModelEntry | WeightedEntry

/**
 * Routes all requests with the same key in the same order of entries, in every process: `sticky('user', a, b)` sends the
 * prompts of a user to the target that has cached them.
 *
 * Keys are distributed evenly, or by weight: `sticky('key', [a, 3], [b, 1])`, or `{ to: a, weight: 3 }`. Removing an entry
 * moves only its own keys. Entries are identified by their targets and names, custom routes by their order.
 *
 * Throws `ConfigurationError` for an invalid entry, key or weight.
 */
export function sticky<const Entries extends readonly StickyEntry[]>(
  by: RouteKey,
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  const keyOf = routeKey(by, 'sticky()')
  const pairs = entries.map(entry => weightedPair(entry) ?? ([entry, 1] as const))
  const parts = partsOf(
    pairs.map(([entry]) => entry),
    'sticky()',
  )
  const weights = checkWeights(
    'sticky()',
    pairs.map(([, weight]) => weight),
    at => [at, 'weight'],
  )
  return combinedRoute(parts, steps => {
    const distances = rendezvous(distinctIds(steps.map(({ id }) => id)), weights)
    return ranked(steps, (listed, draft, context) => {
      const found = distances(keyOf(draft, context))
      return byLeast(
        listed,
        listed.map(({ index }) => found[index]!),
      )
    })
  })
}

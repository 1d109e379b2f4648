import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, ranked } from './combined-steps.ts'
import { checkWeights } from './entry-checks.ts'
import { distinctIds, type RouteKey, rendezvous, routeKey } from './route-key.ts'
import { type WeightedEntry, weightedPair } from './weighted.ts'

/** An entry, or an entry and its weight. */
export type StickyEntry = ModelEntry | WeightedEntry

/**
 * The same order of entries for all requests with the same key, in every process: `sticky('user', a, b)` keeps a user's
 * prompts where they are cached. Entries share the keys alike, or by weight: `sticky('key', [a, 3], [b, 1])`, or `{ to: a, weight: 3 }`. One that is
 * taken out of the list moves its own keys alone. Entries are known by their targets and names; routes of your own by
 * their order among each other.
 *
 * Throws `ConfigurationError` for what is no entry, no key, or no weight.
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

import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, leadOf, ranked } from './linked-combinations.ts'

/**
 * Orders entries by the number of calls in flight in this process, fewest first; ties are random. Unavailable targets come
 * last. For an entry with several targets, the one that would be called first counts.
 *
 * Throws `ConfigurationError` for an invalid entry.
 */
export function leastBusy<const Entries extends readonly ModelEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  return combinedRoute(partsOf(entries, 'leastBusy()'), steps =>
    ranked(steps, (listed, _, context) =>
      byLeast(
        listed,
        listed.map(({ candidates }) => {
          const { blocked, health } = leadOf(candidates, context)
          return blocked ? Number.POSITIVE_INFINITY : health.active + context.random()
        }),
      ),
    ),
  )
}

import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, leadOf, ranked } from './linked-combinations.ts'

/**
 * The entry first whose place answers the fewest requests now, as this process sees it; among equals chance decides.
 * Places that are not to be asked at the moment come last. Of an entry with several places the one counts that would be
 * asked first.
 *
 * Throws `TypeError` for what is no entry.
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

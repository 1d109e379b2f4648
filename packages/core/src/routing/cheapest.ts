import { estimatedUse } from '../usage/reservation.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { checkTokens, withOptions } from './entry-checks.ts'
import { byLeast, ranked } from './linked-combinations.ts'

export interface CheapestOptions {
  /** The completion tokens that are expected of a request without a bound of its own. Default 1,000. */
  readonly outputTokens: number
}

/**
 * The entry first whose place takes least for the request, by the gateway's `prices`: for the most tokens that its prompt
 * is likely to have, and for its bound of the answer. A place without a price comes last, as nobody knows what it takes;
 * what costs the same stays in the given order. Of an entry with several places the first counts.
 *
 * Throws `TypeError` for what is no entry.
 */
export function cheapest<const Entries extends readonly (ModelEntry | CheapestOptions)[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  const [places, options] = withOptions<CheapestOptions>('cheapest()', entries, ['outputTokens'])
  const outputTokens = checkTokens('cheapest()', 'outputTokens', options?.outputTokens ?? 1_000)
  return combinedRoute(partsOf(places, 'cheapest()'), steps =>
    ranked(steps, (listed, draft, { price }) => {
      const use = estimatedUse(draft, outputTokens)
      return byLeast(
        listed,
        listed.map(({ candidates }) => price(use, candidates[0]!) ?? Number.POSITIVE_INFINITY),
      )
    }),
  )
}

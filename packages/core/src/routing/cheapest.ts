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

/** Options of `cheapest`. */
export interface CheapestOptions {
  /** Expected completion tokens of a request without a maximum of its own. Default 1,000. */
  readonly outputTokens: number
}

/**
 * Orders entries by the estimated cost of the request, cheapest first. The estimate uses the gateway's `prices`, the likely
 * size of the prompt, and the maximum output of the request. Targets without a price come last; equal costs keep the given
 * order. For an entry with several targets, the first one counts.
 *
 * Throws `ConfigurationError` for an invalid entry.
 */
export function cheapest<const Entries extends readonly (ModelEntry | CheapestOptions)[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  const [given, options] = withOptions<CheapestOptions>('cheapest()', entries, ['outputTokens'])
  const outputTokens = checkTokens('cheapest()', 'outputTokens', options?.outputTokens ?? 1_000)
  return combinedRoute(partsOf(given, 'cheapest()'), steps =>
    ranked(steps, (listed, draft, { price }) => {
      const use = estimatedUse(draft, outputTokens)
      return byLeast(
        listed,
        listed.map(({ candidates }) => price(use, candidates[0]!) ?? Number.POSITIVE_INFINITY),
      )
    }),
  )
}

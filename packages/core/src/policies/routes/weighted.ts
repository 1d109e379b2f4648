import { type CombinedRoute, combinedRoute } from './combined-route.ts'
import type { ModelEntry, NamesIn } from './model-entry.ts'
import { byLeast, ranked } from './ordered-step.ts'
import { partsOf } from './parts.ts'
import { checkWeights } from './weights.ts'

/**
 * Chance decides, by weight: `weighted([a, 3], [b, 1])` asks `a` first for three of four requests. The others come after
 * it, in an order drawn in the same way, for when it fails; a weight of 0 stands for a place that is only asked then.
 *
 * Throws `TypeError` for what is no entry, and for weights that are negative, no numbers, or all 0.
 */
export function weighted<const Entries extends readonly (readonly [ModelEntry, number])[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number][0]>> {
  const pairs: readonly (readonly [unknown, unknown])[] = entries.map((pair: unknown, at) => {
    if (Array.isArray(pair) && pair.length === 2) return pair as unknown as readonly [unknown, unknown]
    throw new TypeError(
      `weighted(): entry ${at + 1} is no pair: expected [target, weight], such as [target, 3].`,
    )
  })
  const parts = partsOf(
    pairs.map(([entry]) => entry),
    'weighted()',
  )
  const weights = checkWeights(
    'weighted()',
    pairs.map(([, weight]) => weight),
  )
  return combinedRoute(parts, steps =>
    // An exponential draw for each: the least is the entry's with the probability of its share, and so on down the list.
    ranked(steps, (listed, _, { random }) =>
      byLeast(
        listed,
        listed.map(({ index }) => -Math.log(random()) / weights[index]!),
      ),
    ),
  )
}

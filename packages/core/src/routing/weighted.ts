import { configurationError } from '../errors/configuration-error.ts'
import { type CombinedRoute, combinedRoute } from './combined-route.ts'
import type { NamesIn } from './model-entry.ts'
import { byLeast, ranked } from './ordered-step.ts'
import { partsOf } from './parts.ts'
import { type EntryOf, type WeightedEntry, weightedPair } from './weighted-entry.ts'
import { checkWeights } from './weights.ts'

/**
 * Chance decides, by weight: `weighted([a, 3], [b, 1])` asks `a` first for three of four requests. The others come after
 * it, in an order drawn in the same way, for when it fails; a weight of 0 stands for a place that is only asked then. A
 * list as in a configuration file means the same: `weighted([{ to: a, weight: 3 }, { to: b, weight: 1 }])`.
 *
 * Throws `ConfigurationError` for what is no entry, and for weights that are negative, no numbers, or all 0.
 */
export function weighted<const Entries extends readonly WeightedEntry[]>(
  entries: Entries,
): CombinedRoute<NamesIn<EntryOf<Entries[number]>>>
export function weighted<const Entries extends readonly WeightedEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<EntryOf<Entries[number]>>>
export function weighted(...given: readonly unknown[]): CombinedRoute<string> {
  const [only] = given
  const isList = given.length === 1 && Array.isArray(only) && only.every(each => typeof each === 'object')
  const pairs = (isList ? (only as readonly unknown[]) : given).map((entry, at) => {
    const pair = weightedPair(entry) ?? (Array.isArray(entry) && entry.length === 2 ? entry : undefined)
    if (pair !== undefined) return pair as readonly [unknown, unknown]
    const expected = 'an entry and its weight, such as [target, 3] or { to: target, weight: 3 }'
    throw configurationError('weighted()', [at], entry, expected)
  })
  const parts = partsOf(
    pairs.map(([entry]) => entry),
    'weighted()',
  )
  const weights = checkWeights(
    'weighted()',
    pairs.map(([, weight]) => weight),
    at => [at, 'weight'],
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

import { configurationError } from '../errors/configuration-error.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, ranked } from './combined-steps.ts'
import { checkWeights } from './entry-checks.ts'

/**
 * Chance decides, by weight: `weighted([a, 3], [b, 1])` asks `a` first for three of four requests. The others come after
 * it, in an order drawn in the same way, for when it fails; a weight of 0 stands for a place that is only asked then. A
 * list as in a configuration file means the same: `weighted([{ to: a, weight: 3 }, { to: b, weight: 1 }])`.
 *
 * Throws `ConfigurationError` for what is no entry, and for weights that are negative, no numbers, or all 0.
 */
export function weighted<const Entries extends readonly WeightedEntry[]>(
  entries: Entries,
): CombinedRoute<NamesIn<Entries[number]>>
export function weighted<const Entries extends readonly WeightedEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>>
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

/** An entry and its weight: `[target, 3]` or, as in a configuration file, `{ to: target, weight: 3 }`. */
export type WeightedEntry =
  | readonly [entry: ModelEntry, weight: number]
  | { readonly to: ModelEntry; readonly weight: number }

/** The entry and the weight of a value; `undefined` for one that has no weight. The weight is not checked. */
export function weightedPair(value: unknown): readonly [entry: unknown, weight: unknown] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value))
    return value.length === 2 && typeof value[1] === 'number' ? [value[0], value[1]] : undefined
  return 'to' in value && 'weight' in value ? [value.to, value.weight] : undefined
}

import { configurationError } from '../errors/configuration-error.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { checkWeights } from './entry-checks.ts'
import { byLeast, ranked } from './linked-combinations.ts'
import { conversationOf, distinctIds, rendezvous } from './route-key.ts'

/**
 * Distributes requests at random by weight: `weighted([a, 3], [b, 1])` sends three of four requests to `a`. The others follow
 * as fallbacks, in an order drawn in the same way. The requests of one conversation (`conversationKey` of the outline) have the
 * same order, because vendors keep its prompt and its reasoning; the weights hold over many conversations. An entry with a weight of 0 is only a fallback. The form of configuration
 * files works too: `weighted([{ to: a, weight: 3 }, { to: b, weight: 1 }])`.
 *
 * Throws `ConfigurationError` for an invalid entry, and for weights that are negative, not numbers, or all 0.
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
    const expected = 'an entry with its weight, such as [target, 3] or { to: target, weight: 3 }'
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
  return combinedRoute(parts, steps => {
    const distances = rendezvous(distinctIds(steps.map(({ id }) => id)), weights)
    return ranked(steps, (listed, draft, context) => {
      const conversation = conversationOf(draft, context)
      if (conversation !== undefined) {
        const found = distances(conversation)
        return byLeast(
          listed,
          listed.map(({ index }) => found[index]!),
        )
      }
      // An exponential variate per entry: each is the smallest with the probability of its share of the weights.
      return byLeast(
        listed,
        listed.map(({ index }) => -Math.log(context.random()) / weights[index]!),
      )
    })
  })
}

/** An entry with its weight: `[target, 3]`, or `{ to: target, weight: 3 }` as in configuration files. */
export type WeightedEntry =
  | readonly [entry: ModelEntry, weight: number]
  | { readonly to: ModelEntry; readonly weight: number }

/** Returns the entry and the weight of a value, or `undefined` if it has no weight. Does not validate the weight. */
export function weightedPair(value: unknown): readonly [entry: unknown, weight: unknown] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value))
    return value.length === 2 && typeof value[1] === 'number' ? [value[0], value[1]] : undefined
  return 'to' in value && 'weight' in value ? [value.to, value.weight] : undefined
}

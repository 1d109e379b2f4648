import { type CombinedRoute, combinedRoute } from './combined-route.ts'
import type { ModelEntry, NamesIn } from './model-entry.ts'
import { byLeast, ranked } from './ordered-step.ts'
import { partsOf } from './parts.ts'
import { distinctIds, rendezvous } from './rendezvous.ts'
import { type RouteKey, routeKey } from './route-key.ts'
import { checkWeights } from './weights.ts'

/** An entry, or an entry and its weight. */
export type StickyEntry = ModelEntry | readonly [ModelEntry, number]

type EntryOf<Item> = Item extends readonly [infer Entry, number] ? Entry : Item

/**
 * The same order of entries for all requests with the same key, in every process: `sticky('user', a, b)` keeps a user's
 * prompts where they are cached. Entries share the keys alike, or by weight: `sticky('key', [a, 3], [b, 1])`. One that is
 * taken out of the list moves its own keys alone. Entries are known by their targets and names; routes of your own by
 * their order among each other.
 *
 * Throws `TypeError` for what is no entry, no key, or no weight.
 */
export function sticky<const Entries extends readonly StickyEntry[]>(
  by: RouteKey,
  ...entries: Entries
): CombinedRoute<NamesIn<EntryOf<Entries[number]>>> {
  const keyOf = routeKey(by, 'sticky()')
  const pairs = entries.map((entry): readonly [unknown, unknown] => (isWeighed(entry) ? entry : [entry, 1]))
  const parts = partsOf(
    pairs.map(([entry]) => entry),
    'sticky()',
  )
  const weights = checkWeights(
    'sticky()',
    pairs.map(([, weight]) => weight),
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

function isWeighed(entry: StickyEntry): entry is readonly [ModelEntry, number] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[1] === 'number'
}

import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, leadOf, ranked } from './linked-combinations.ts'

/**
 * Takes entries in turn, one per request, in this process: `roundRobin(a, b)` sends the first request to `a`, the second to `b`, the
 * third to `a`. The others follow as fallbacks in their order; unavailable targets come last. Each process begins at a random
 * entry, so that processes that start together do not call the same one. `gateway.explain` takes a turn, too.
 *
 * Requests of one conversation go to different entries: use `weighted` or `sticky` where vendors cache prompts.
 *
 * Throws `ConfigurationError` for an invalid entry.
 */
export function roundRobin<const Entries extends readonly ModelEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  return combinedRoute(partsOf(entries, 'roundRobin()'), steps => {
    const count = steps.length
    let turn: number | undefined
    return ranked(steps, (listed, _, context) => {
      const first = turn ?? Math.floor(context.random() * count)
      turn = (first + 1) % count
      return byLeast(
        listed,
        listed.map(({ index, candidates }) => {
          const distance = (index - first + count) % count
          return leadOf(candidates, context).blocked ? distance + count : distance
        }),
      )
    })
  })
}

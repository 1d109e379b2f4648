import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { estimateTokens } from '../usage/reservation.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { type Candidates, collectTargets, distinct, waysOf } from './linked-route.ts'

/**
 * Orders targets by context length: the smallest one that the prompt and the response are likely to fit in comes first, then
 * larger ones, then those with unknown `contextTokens`. Targets that are likely too small are skipped, unless all are: then
 * the largest comes first. The targets of all entries are ordered individually.
 *
 * Throws `ConfigurationError` for an invalid entry.
 */
export function byContextLength<const Entries extends readonly ModelEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  return combinedRoute(partsOf(entries, 'byContextLength()'), steps => ({
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: `(${steps.map(({ id }) => id).join(' ')})`,
    resolve: (draft, context) =>
      collectTargets(steps, draft, context, lists =>
        fitting(distinct(lists.flat()), estimateTokens(draft), context),
      ),
  }))
}

function fitting(candidates: Candidates, tokens: number, context: RouteContext): Candidates {
  const fits = candidates.filter(candidate => tokens <= sizeOf(candidate))
  if (fits.length === 0) return candidates.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  for (const candidate of candidates) {
    if (tokens <= sizeOf(candidate)) continue
    const detail = `about ${tokens} tokens, and its context is ${sizeOf(candidate)}`
    context.skip(candidate, { why: 'too_small', detail })
  }
  // Not by subtraction: Infinity - Infinity is NaN.
  return fits.sort((one, other) => (sizeOf(one) < sizeOf(other) ? -1 : sizeOf(one) > sizeOf(other) ? 1 : 0))
}

function sizeOf({ capabilities }: RoutedTarget): number {
  return capabilities?.contextTokens ?? Number.POSITIVE_INFINITY
}

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
 * The places with the smallest context that prompt and answer are likely to fit in, then those with larger ones, and
 * then those whose `capabilities` do not say. Those that are likely too small are left out, unless there are no others:
 * then the largest is asked first. All places of an entry are ordered, one by one.
 *
 * Throws `TypeError` for what is no entry.
 */
export function byContextLength<const Entries extends readonly ModelEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  return combinedRoute(partsOf(entries, 'byContextLength()'), steps => ({
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: `(${steps.map(({ id }) => id).join(' ')})`,
    ask: (draft, context) =>
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
  // Not by subtraction: of two that do not say, neither is larger.
  return fits.sort((one, other) => (sizeOf(one) < sizeOf(other) ? -1 : sizeOf(one) > sizeOf(other) ? 1 : 0))
}

function sizeOf({ capabilities }: RoutedTarget): number {
  return capabilities?.contextTokens ?? Number.POSITIVE_INFINITY
}

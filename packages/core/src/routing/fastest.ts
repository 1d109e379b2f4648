import type { RouteContext } from '../contracts/route.ts'
import { memberOf } from '../primitives/own-members.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, type ListedTarget, leadOf, ranked } from './linked-combinations.ts'

/**
 * The entry first whose place is likely to begin its answer soonest: by its time to the first token of late, or to
 * the whole where none is streamed, times the requests that it answers now and this one. The first is the better of two that chance picks, so that not all requests
 * run to the same place at once; the others follow by what is expected of them. A place that was not measured yet is
 * tried first, by one request at a time. Those that are not to be asked at the moment come last. Of an entry with
 * several places the one counts that would be asked first.
 *
 * Throws `TypeError` for what is no entry.
 */
export function fastest<const Entries extends readonly ModelEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  return combinedRoute(partsOf(entries, 'fastest()'), steps =>
    ranked(steps, (listed, { body }, context) => {
      const measure = memberOf(body, 'stream') === true ? 'firstTokenMs' : 'responseMs'
      const expected = listed.map(each => expectedMs(each, measure, context))
      better(expected, context)
      return byLeast(listed, expected)
    }),
  )
}

/** More than any place that was measured, and less than one that is not to be asked. */
const unknownMs = 1e12

function expectedMs(
  { candidates }: ListedTarget,
  measure: 'firstTokenMs' | 'responseMs',
  context: RouteContext,
): number {
  const { blocked, health } = leadOf(candidates, context)
  if (blocked) return Number.POSITIVE_INFINITY
  const { active, [measure]: ms } = health
  if (ms === undefined) return active === 0 ? 0 : unknownMs * active
  // A place that answers at once is still the slower the more it has to do.
  return Math.min(unknownMs / 2, Math.max(ms, 0.001) * (active + 1))
}

/** Puts the better of two that were measured before all others that were. */
function better(expected: number[], { random }: RouteContext): void {
  const measured: number[] = []
  for (const [at, ms] of expected.entries()) if (ms > 0 && ms < unknownMs) measured.push(at)
  // Of two, the better one is the first by its own measure.
  if (measured.length < 3) return
  const one = Math.floor(random() * measured.length)
  const next = Math.floor(random() * (measured.length - 1))
  const other = next < one ? next : next + 1
  const [first, second] = [measured[one]!, measured[other]!]
  expected[expected[second]! < expected[first]! ? second : first] = Number.MIN_VALUE
}

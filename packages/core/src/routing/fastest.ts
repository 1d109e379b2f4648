import type { RouteContext } from '../contracts/route.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { byLeast, type ListedTarget, leadOf, ranked } from './linked-combinations.ts'

/**
 * Orders entries by their expected response time, fastest first. The estimate is the recent time to first token, or the
 * response time of requests that do not stream, multiplied by the active requests plus one.
 *
 * Of two random entries the faster one goes first, so that not all requests use the same target; the others follow by their
 * estimates. A target without measurements is tried first, by one request at a time. Unavailable targets go last. An entry
 * with several targets counts as its first available one.
 *
 * Throws `ConfigurationError` for an invalid entry.
 */
export function fastest<const Entries extends readonly ModelEntry[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  return combinedRoute(partsOf(entries, 'fastest()'), steps =>
    ranked(steps, (listed, { outline }, context) => {
      const measure = outline.stream ? 'firstTokenMs' : 'responseMs'
      const expected = listed.map(each => expectedMs(each, measure, context))
      better(expected, context)
      return byLeast(listed, expected)
    }),
  )
}

/** More than any measured time in ms, and less than an unavailable target. */
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
  // A target with 0 ms is still slower the more requests it has.
  return Math.min(unknownMs / 2, Math.max(ms, 0.001) * (active + 1))
}

/** Moves the faster of two random measured entries before all other measured ones. */
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

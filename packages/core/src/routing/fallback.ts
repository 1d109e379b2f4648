import type { Candidate } from '../contracts/route.ts'
import type { UpstreamError } from '../errors/upstream-error.ts'
import { type CombinedRoute, combinedRoute } from './combined-route.ts'
import { type FailureSpec, failureTest } from './failure-test.ts'
import type { ModelEntry, NamesIn } from './model-entry.ts'
import { inOrder } from './ordered-step.ts'
import { partsOf } from './parts.ts'

import { type Candidates, mappedStep, type Step } from './step.ts'
import { withOptions } from './with-options.ts'

export interface FallbackOptions {
  /**
   * After which failures the next place is asked: statuses, kinds, or codes of the vendor, or a function. Default: after
   * all that are not the request's own fault.
   */
  readonly on: readonly FailureSpec[] | ((failure: UpstreamError) => boolean)
}

/**
 * One entry after the other: where a place fails before anything of its answer was sent, the next one is asked. A list
 * means the same. `fallback(a, b, { on: [429, 503, 'first_byte_timeout'] })` goes on after those failures alone; an
 * entry that is a `fallback` with an `on` of its own keeps that between its own places.
 *
 * Throws `TypeError` for what is no entry, and for an `on` that cannot be.
 */
export function fallback<const Entries extends readonly (ModelEntry | FallbackOptions)[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  const [places, options] = withOptions<FallbackOptions>('fallback()', entries, ['on'])
  const moves = options && failureTest(options.on, 'fallback()')
  return combinedRoute(partsOf(places, 'fallback()'), steps => {
    const step = inOrder(steps)
    return moves === undefined ? step : mappedStep(inOrder(steps.map(leaving(moves))), withoutLast)
  })
}

type Moves = (failure: UpstreamError) => boolean

/** What a step gives where, to leave it, `moves` decides; within it, what it says itself. */
function leaving(moves: Moves): (step: Step) => Step {
  const map = (candidates: Candidates) =>
    candidates.map((candidate, at): Candidate => {
      const own = at < candidates.length - 1 ? candidate.on : undefined
      return { ...candidate, on: own ?? moves }
    })
  return step => mappedStep(step, map)
}

/** Nothing of the last place's failures is decided here: an entry around this one may have others after it. */
function withoutLast(candidates: Candidates): Candidates {
  const last = candidates.at(-1)
  if (last === undefined) return candidates
  const { on: _, ...open } = last
  return [...candidates.slice(0, -1), open]
}

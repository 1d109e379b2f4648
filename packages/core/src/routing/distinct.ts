import type { Candidate } from '../contracts/route.ts'
import { isSamePlace } from '../validation/is-target.ts'

import type { Candidates } from './step.ts'

/**
 * The first of each place. One that is reached by a name is another than the same that needs no leave for that name:
 * which of them stay is only known when the caller is.
 */
export function distinct(candidates: Candidates): Candidates {
  for (let at = 1; at < candidates.length; at++) {
    if (isRepeat(candidates, at)) return candidates.filter((_, index) => !isRepeat(candidates, index))
  }
  return candidates
}

/** Whether one before it is the same. */
function isRepeat(candidates: Candidates, at: number): boolean {
  const like = candidates[at]!
  for (let before = 0; before < at; before++) {
    const candidate = candidates[before]!
    if (candidate === like || (isSamePlace(candidate, like) && needsSame(candidate, like))) return true
  }
  return false
}

function needsSame({ via: one }: Candidate, { via: other }: Candidate): boolean {
  if (one === other) return true
  return one?.length === other?.length && one!.every((name, at) => name === other![at])
}

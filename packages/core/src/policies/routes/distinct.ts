import { isSamePlace } from '../../is-same-place.ts'
import type { Candidate } from '../../stages/route.ts'
import type { Candidates } from './step.ts'

/**
 * The first of each place. One that is reached by a name is another than the same that needs no leave for that name:
 * which of them stay is only known when the caller is.
 */
export function distinct(candidates: Candidates): Candidates {
  const kept = candidates.filter((candidate, at) => firstLike(candidates, candidate) === at)
  return kept.length === candidates.length ? candidates : kept
}

function firstLike(candidates: Candidates, like: Candidate): number {
  return candidates.findIndex(
    candidate => candidate === like || (isSamePlace(candidate, like) && needsSame(candidate, like)),
  )
}

function needsSame({ via: one }: Candidate, { via: other }: Candidate): boolean {
  if (one === other) return true
  return one?.length === other?.length && one!.every((name, at) => name === other![at])
}

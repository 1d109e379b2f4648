import type { RouteContext } from '../contracts/route.ts'
import type { TargetHealth } from '../contracts/target-health.ts'

import type { Candidates } from './step.ts'

/** How the place does that would be asked first. */
export interface Lead {
  readonly health: TargetHealth
  /** None of the places is to be asked at the moment. */
  readonly blocked: boolean
}

/** The first of some places that may be asked now, or the first, where none may. */
export function leadOf(candidates: Candidates, { health }: RouteContext): Lead {
  let first: TargetHealth | undefined
  for (const candidate of candidates) {
    const found = health(candidate)
    if (found.waitMs <= 0) return { health: found, blocked: false }
    first ??= found
  }
  return { health: first!, blocked: true }
}

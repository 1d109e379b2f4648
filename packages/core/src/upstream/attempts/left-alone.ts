import { GatewayError } from '../../errors.ts'
import type { SkipReason } from '../../trace.ts'
import type { Blocked } from '../health/target-health.ts'

/** Why a place is not asked that health says must not be. */
export function skippedFor({ state, waitMs }: Blocked): SkipReason {
  return { why: state === 'cooling' ? 'cooling' : 'open', waitMs }
}

/** The 503 where every place is left alone. `soonestMs`: how long until the first of them may be asked. */
export function allLeftAlone(soonestMs: number): GatewayError {
  const ms = Math.round(Math.min(Math.max(soonestMs, 1_000), 60_000))
  return new GatewayError('overloaded', {
    headers: { 'retry-after': String(Math.ceil(ms / 1_000)), 'retry-after-ms': String(ms) },
  })
}

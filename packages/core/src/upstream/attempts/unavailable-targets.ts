import type { Target } from '../../contracts/provider.ts'
import type { TargetUnavailable } from '../../contracts/target-health.ts'
import type { SkipReason } from '../../contracts/trace.ts'
import { type ErrorReason, GatewayError } from '../../errors/errors.ts'
import { limitedRetryAfterHeaders } from '../../errors/retry-headers.ts'
import { type UnavailableReason, unavailableReasons } from '../../errors/unavailable-reason.ts'

/** Why a place is not asked that health says must not be. */
export function skippedFor({ state, waitMs, reason }: TargetUnavailable): SkipReason {
  const why = state === 'cooldown' ? 'cooldown' : 'open'
  return reason === undefined ? { why, waitMs } : { why, waitMs, detail: reason }
}

/** What a caller is told of each reason: what it would be told of the failure itself. */
const refusals: Readonly<Record<UnavailableReason, ErrorReason>> = {
  rate_limited: 'rate_limit_exceeded',
  overloaded: 'overloaded',
  unreachable: 'upstream_error',
  insufficient_quota: 'insufficient_quota',
  upstream_auth: 'upstream_auth',
}

/** The refusal where every place is left alone: of several reasons the one that passes soonest is told. */
export function allTargetsUnavailable(blocked: readonly TargetUnavailable[]): GatewayError {
  const soonestMs = Math.min(...blocked.map(({ waitMs }) => waitMs))
  const reasons = blocked.map(({ reason = 'overloaded' }) => reason)
  const reason = unavailableReasons.find(each => reasons.includes(each)) ?? 'overloaded'
  return new GatewayError(refusals[reason], {
    headers: limitedRetryAfterHeaders(soonestMs),
  })
}

/** The places that a request came to and that were left alone, while none was asked: one may still be, as the last resort. */
export class UnavailableTargets {
  #places: (readonly [Target, TargetUnavailable])[] = []

  get size(): number {
    return this.#places.length
  }

  /** The refusal where none of them is asked after all. */
  get refusal(): GatewayError {
    return allTargetsUnavailable(this.#places.map(([, blocked]) => blocked))
  }

  add(target: Target, blocked: TargetUnavailable): void {
    this.#places.push([target, blocked])
  }

  /** They are looked at once more. */
  clear(): void {
    this.#places = []
  }

  /** That is what became of them. */
  tell(skipped: (target: Target, why: SkipReason) => void): void {
    for (const [target, blocked] of this.#places) skipped(target, skippedFor(blocked))
    this.clear()
  }
}

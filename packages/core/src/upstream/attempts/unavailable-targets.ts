import type { Target } from '../../contracts/provider.ts'
import type { TargetUnavailable } from '../../contracts/target-health.ts'
import type { SkipReason } from '../../contracts/trace.ts'
import { type ErrorReason, GatewayError } from '../../errors/errors.ts'
import { limitedRetryAfterHeaders } from '../../errors/retry-headers.ts'
import { type UnavailableReason, unavailableReasons } from '../../errors/unavailable-reason.ts'

/** Returns why a target that is unavailable is skipped. */
export function skippedFor({ state, waitMs, reason }: TargetUnavailable): SkipReason {
  const why = state === 'cooldown' ? 'cooldown' : 'open'
  return reason === undefined ? { why, waitMs } : { why, waitMs, detail: reason }
}

/** The error of each reason: the same as that of the failure itself. */
const errorReasons: Readonly<Record<UnavailableReason, ErrorReason>> = {
  rate_limited: 'rate_limit_exceeded',
  overloaded: 'overloaded',
  unreachable: 'upstream_error',
  insufficient_quota: 'insufficient_quota',
  upstream_auth: 'upstream_auth',
}

/** Returns the error of a request whose targets are all unavailable. Of several reasons it has the one listed first. */
export function allTargetsUnavailable(blocked: readonly TargetUnavailable[]): GatewayError {
  const soonestMs = Math.min(...blocked.map(({ waitMs }) => waitMs))
  const reasons = blocked.map(({ reason = 'overloaded' }) => reason)
  const reason = unavailableReasons.find(each => reasons.includes(each)) ?? 'overloaded'
  return new GatewayError(errorReasons[reason], {
    headers: limitedRetryAfterHeaders(soonestMs),
  })
}

/** The unavailable targets of a request, while none was called: they may still be, as the last resort. */
export class UnavailableTargets {
  #targets: (readonly [Target, TargetUnavailable])[] = []

  get size(): number {
    return this.#targets.length
  }

  /** The error where none of them is called after all. */
  get error(): GatewayError {
    return allTargetsUnavailable(this.#targets.map(([, blocked]) => blocked))
  }

  add(target: Target, blocked: TargetUnavailable): void {
    this.#targets.push([target, blocked])
  }

  /** Forgets them, before they are tried as the last resort. */
  clear(): void {
    this.#targets = []
  }

  /** Reports them as skipped. */
  report(skipped: (target: Target, why: SkipReason) => void): void {
    for (const [target, blocked] of this.#targets) skipped(target, skippedFor(blocked))
    this.clear()
  }
}

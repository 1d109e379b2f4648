import type { Target } from '../../contracts/provider.ts'
import type { KeyHealth, TargetUnavailable } from '../../contracts/target-health.ts'
import type { SkipReason } from '../../contracts/trace.ts'
import { type ErrorReason, GatewayError } from '../../errors/errors.ts'
import { limitedRetryAfterHeaders } from '../../errors/retry-headers.ts'
import { type UnavailableReason, unavailableReasons } from '../../errors/unavailable-reason.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'

/** Returns why a target that is unavailable is skipped. */
export function skippedFor({ state, waitMs, reason, limit }: TargetUnavailable): SkipReason {
  if (limit === 'exceeded') return { why: 'target_limit', waitMs }
  if (limit === 'unknown') return { why: 'target_limit', waitMs, detail: 'limiter_unavailable' }
  const why = state === 'cooldown' ? 'cooldown' : 'open'
  return reason === undefined ? { why, waitMs } : { why, waitMs, detail: reason }
}

/** Returns why a key that is in cooldown is skipped. */
export function keySkipped({ waitMs, reason }: KeyHealth): SkipReason {
  return reason === undefined ? { why: 'cooldown', waitMs } : { why: 'cooldown', waitMs, detail: reason }
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
  if (blocked.length > 0 && blocked.every(({ limit }) => limit === 'unknown')) {
    return new GatewayError('limiter_unavailable', { headers: { 'x-should-retry': 'true' } })
  }
  const soonestMs = Math.min(...blocked.map(({ waitMs }) => waitMs))
  const reasons = blocked.map(({ reason = 'overloaded' }) => reason)
  const reason = unavailableReasons.find(each => reasons.includes(each)) ?? 'overloaded'
  return new GatewayError(errorReasons[reason], {
    headers: limitedRetryAfterHeaders(soonestMs),
  })
}

/** The status by which a vendor reports each reason. */
const statuses: Readonly<Partial<Record<UnavailableReason, number>>> = {
  rate_limited: 429,
  insufficient_quota: 402,
  upstream_auth: 401,
}

/**
 * Returns the failure of a target all of whose keys are in cooldown: the one that passes first, with the time until then. `cause`
 * is the failure of the key that was used last.
 */
export function allKeysUnavailable(
  { reason = 'overloaded', waitMs }: Pick<TargetUnavailable, 'reason' | 'waitMs'>,
  cause: UpstreamError,
): UpstreamError {
  const status = statuses[reason] ?? cause.status
  return new UpstreamError(
    'All keys of the provider are in cooldown. The cause is the failure of the last one.',
    {
      kind: 'refused',
      retryAfterMs: waitMs,
      cause,
      ...(status !== undefined && { status }),
    },
  )
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

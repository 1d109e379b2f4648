import type { Lease, Limiter } from '../contracts/limiter.ts'
import type { Adjustment, Target } from '../contracts/provider.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { AttemptEntry, AttemptLog } from '../observability/attempt-log.ts'
import type { RunningShadows } from '../upstream/attempts/running-shadows.ts'
import type { AttemptObserver } from '../upstream/call-context.ts'
import type { CountedUsage } from '../usage/usage.ts'
import type { RequestAccounting } from './request-accounting.ts'

/** Receives what happens to the attempts of one part of a request. */
export class PartObserver implements AttemptObserver {
  readonly attempts: AttemptLog
  readonly #accounting: RequestAccounting

  constructor(accounting: RequestAccounting) {
    this.#accounting = accounting
    this.attempts = accounting.attempts.part()
  }

  get shadows(): RunningShadows {
    return this.#accounting.shadows
  }

  /** Ends the attempt that has answered, and charges it. */
  answered(attempt: AttemptEntry, counted: CountedUsage): void {
    const { usage, estimated: usageEstimated } = counted
    attempt.span?.end(undefined, { usage, usageEstimated, responseModel: attempt.responseModel })
    this.attempts.isCharged = true
    this.#accounting.partAnswered(attempt, counted)
  }

  admitCall(target: Target, limiter: Limiter, lifetime: Lifetime): Lease | Promise<Lease> {
    return this.#accounting.admitCall(target, limiter, lifetime)
  }

  releaseLease(lease: Lease | undefined): void {
    this.#accounting.releaseLease(lease)
  }

  attemptFailed(attempt: AttemptEntry): void {
    this.#accounting.attemptFailed(attempt)
  }

  /** The adjustments of all parts are reported together. */
  adjusted(): void {}

  skipped(target: Target, why: SkipReason, key?: string): void {
    this.#accounting.skipped(target, why, key)
  }

  discarded(attempt: AttemptEntry, usage: CountedUsage | 'abandoned' | undefined): void {
    this.#accounting.discarded(attempt, usage)
  }
}

/** Returns the adjustments of the attempts that have answered, each once: the parts of a request mostly have the same. */
export function distinctAdjustments(parts: readonly PartObserver[]): readonly Adjustment[] {
  const distinct = new Map<string, Adjustment>()
  for (const { attempts } of parts) {
    for (const adjustment of attempts.counted?.adjustments ?? []) {
      distinct.set(JSON.stringify(adjustment), adjustment)
    }
  }
  return Array.from(distinct.values())
}

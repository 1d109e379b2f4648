import type { DiscardedCallEvent } from '../contracts/events.ts'
import type { Adjustment, Target } from '../contracts/provider.ts'
import type { Caller } from '../contracts/target-health.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { AttemptEntry, AttemptLog } from '../observability/attempt-log.ts'
import type { RunningShadows } from '../upstream/attempts/running-shadows.ts'
import type { AttemptObserver } from '../upstream/call-context.ts'
import { callerOf } from '../upstream/health/principal-caller.ts'
import type { CountedUsage } from '../usage/usage.ts'
import type { RequestRecord } from './request-record.ts'
import type { ResolvedOptions } from './resolve.ts'

type Told = Pick<ResolvedOptions<never>, 'observe'>

/** What becomes of a request's attempts: its record keeps it, and observers hear of it. */
export class RequestAttempts implements AttemptObserver {
  committed = false
  headAt = Number.POSITIVE_INFINITY
  readonly #record: RequestRecord
  readonly #bound: readonly Adjustment[]
  readonly #options: Told
  #caller: Caller | undefined

  /** `bound` is what was adjusted for all of them. */
  constructor(record: RequestRecord, bound: readonly Adjustment[], options: Told) {
    this.#record = record
    this.#bound = bound
    this.#options = options
  }

  get log(): AttemptLog {
    return this.#record.attempts
  }

  get lives(): RunningShadows {
    return this.#record.shadows
  }

  get caller(): Caller {
    this.#caller ??= callerOf(this.#record.principal)
    return this.#caller
  }

  random(): number {
    return this.#record.routing.random()
  }

  failed(attempt: AttemptEntry): void {
    const { requestId, startedAt } = this.#record
    const failed = attempt.recordAt(startedAt, attempt.endedAt!)
    this.#options.observe({ type: 'attempt_failed', requestId, attempt: failed })
  }

  adjusted(adjustments: readonly Adjustment[]): void {
    this.#record.adjust(adjustments.length === 0 ? this.#bound : [...this.#bound, ...adjustments])
  }

  skipped(target: Target, why: SkipReason): void {
    this.#record.routing.skip(target, why)
  }

  discarded(attempt: AttemptEntry, used: CountedUsage | 'abandoned' | undefined): void {
    const { observe } = this.#options
    const { requestId, startedAt, principal, model = '' } = this.#record
    const abandoned = used === 'abandoned'
    const usage = abandoned ? this.#record.abandonedUsage(attempt, attempt.endedAt!) : used?.usage
    attempt.discarded = true
    const { responseModel } = attempt
    const call: DiscardedCallEvent = {
      type: 'discarded_call',
      requestId,
      principal,
      model,
      attempt: attempt.recordAt(startedAt, attempt.endedAt!),
      responseModel,
      usage,
      usageEstimated: abandoned ? usage !== undefined : (used?.estimated ?? false),
      cost: usage === undefined ? null : this.#record.costOf(usage, attempt, abandoned ? undefined : used),
    }
    // Kept first: who is told of it may change it.
    this.#record.keepUnused(call)
    observe(call)
  }
}

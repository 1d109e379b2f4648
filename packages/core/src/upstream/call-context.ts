import type { Adjustment, Target, UnsupportedParameters } from '../contracts/provider.ts'
import type { Caller, HealthRegistry } from '../contracts/target-health.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { AttemptEntry, AttemptLog } from '../observability/attempt-log.ts'
import type { CountedUsage } from '../usage/usage.ts'
import type { AttemptDependencies } from './attempt.ts'
import type { RunningShadows } from './attempts/running-shadows.ts'
import type { RetryOptions } from './health/health-options.ts'

/** What the stage needs from outside. */
export interface CallDependencies extends AttemptDependencies {
  readonly maxAttempts: number
  /** How long a stream's first event is awaited after its head, where no other target could be asked. */
  readonly holdMs: number
  /**
   * How long after the last target was asked a stream's head may be sent without content; and how long after an
   * upstream's own head, where another target could be asked.
   */
  readonly keepAliveMs: number
  readonly unsupportedParameters: UnsupportedParameters
  readonly health: HealthRegistry
  /** `undefined`: a target that failed is not asked again. */
  readonly retry: RetryOptions | undefined
}

/** What is kept of the attempts of one request, and who hears of them. */
export interface AttemptObserver {
  readonly log: AttemptLog
  readonly lives: RunningShadows
  /** Whose request it is. */
  readonly caller: Caller
  /** The caller has the head of the answer: nothing further is asked. Set by whoever sends it. */
  committed: boolean
  /**
   * From when on the head of a stream may be sent although nothing of the answer has come, in monotonic milliseconds.
   * Infinite while another target could still be asked.
   */
  headAt: number
  /** A number from 0 up to, but not including, 1. */
  random(): number
  /** Told of each failure that is followed by another attempt. */
  failed(attempt: AttemptEntry): void
  /** Told of what was adjusted for the target that is being asked; of nothing, while it is not yet asked. */
  adjusted(adjustments: readonly Adjustment[]): void
  /** Told why a target is not asked, or not again. */
  skipped(target: Target, why: SkipReason): void
  /**
   * Told of a call whose answer nobody gets, when it has ended, and of what it used: nothing, or, where it was `abandoned`
   * before any of its answer came, nobody knows what.
   */
  discarded(attempt: AttemptEntry, usage: CountedUsage | 'abandoned' | undefined): void
}

/** An upstream that answers. */
export interface UpstreamResult<T> {
  readonly answer: T
  /**
   * Gives back what the call holds; has to be called. Cuts the answer off unless that was read to its own end.
   * `error` is what broke it.
   */
  end(completed: boolean, error?: unknown): void
  /** What to do when the call is cut off, by a deadline or the gateway's end: nobody may be reading the answer. */
  onCut(listener: (reason: Error) => void): void
}

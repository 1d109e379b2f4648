import type { UnavailableReason } from '../errors/unavailable-reason.ts'

/** How a target does, as this process sees it. */
export interface TargetHealth {
  /** Calls that are being answered now. */
  readonly active: number
  /**
   * A moving average of the time to a stream's first token, in milliseconds, which rises at once and falls slowly;
   * `undefined` where none was measured within a minute.
   */
  readonly firstTokenMs: number | undefined
  /** The same of answers that are not streamed: the time to the whole. */
  readonly wholeMs: number | undefined
  /**
   * `closed`: it is asked. `cooldown`: it asked for a pause. `open`: it failed too often. `half_open`: one request
   * tries it.
   */
  readonly state: 'closed' | 'cooldown' | 'open' | 'half_open'
  /** When it may be asked again, in milliseconds from now; 0: it may be. */
  readonly waitMs: number
  /** Why it is not closed; absent where it is. */
  readonly reason?: UnavailableReason
  /**
   * `all`: it is left alone by all principals. `principal`: by one, the only one that saw it fail; the requests of others
   * decide. Absent where it is closed.
   */
  readonly scope?: 'all' | 'principal'
  /** For how long it has not been closed, in milliseconds; absent where it is closed. */
  readonly unavailableMs?: number
}

/** One call to a target. */
export interface HealthCall {
  /** Its first content is here. `whole`: all of it, for it is not streamed. */
  answered(now: number, whole?: boolean): void
  /**
   * It has ended; only the first time counts. `error` is what broke it, also after it had begun to answer. What is not
   * the target's fault, as a caller who left, says nothing of it, and gives a probe back.
   */
  ended(error: unknown, now: number): void
}

/** Why a target is not to be asked. */
export interface TargetUnavailable {
  readonly state: 'cooldown' | 'open' | 'half_open'
  readonly waitMs: number
  /** Default: `overloaded`. */
  readonly reason?: UnavailableReason
}

/**
 * What is known of one target. Times are monotonic milliseconds. `caller` is whose request it is: a target may be left
 * alone by one principal and asked by others. Without one, what holds for any principal counts.
 */
export interface HealthRecord {
  view(now: number, caller?: Caller): TargetHealth
  /** The `waitMs` of the view, where nothing else of it is wanted. */
  waitMs(now: number, caller?: Caller): number
  /**
   * Begins a call, or says why it must not be made. Where the target is half open, one call is its probe. `lastResort`:
   * the request has nowhere else to go. Then a target that answers some calls is asked, and any other one now and then.
   */
  begin(now: number, lastResort?: boolean, caller?: Caller): HealthCall | TargetUnavailable
  /** When it may be asked as the last resort, in milliseconds from now; 0: it may be. */
  lastResortMs(now: number, caller?: Caller): number
  /**
   * Leave to ask it again for the same request. It counts among the target's repeats, and its principal's, until it is
   * given back; `undefined`: there are too many.
   */
  acquireRetry(now: number, caller?: Caller): (() => void) | undefined
}

/** What is known of all targets. The same provider and model are the same target, whatever else was said of it. */
export interface HealthRegistry {
  of(target: { readonly provider: { readonly name: string }; readonly model: string }): HealthRecord
}

/** Whose call it is. */
export interface Caller {
  /** A short digest of the principal: read only after a failure, because computing it takes time. */
  readonly digest: string
}

import type { UnavailableReason } from '../errors/unavailable-reason.ts'

/** The health of a target as shared between processes. Principals appear as digests of 16 characters, not as ids. */
export interface SharedTargetState {
  /** Version number of the breaker's state: changes each time the breaker opens or closes; never the same number twice. */
  readonly generation: number
  /** How often the breaker opened since it was last closed, which makes `openMs` longer each time; 0 if it is closed. */
  readonly openings: number
  /** Milliseconds until the open breaker may be probed; 0 if it may be now, or is closed. */
  readonly openMs: number
  /** The only principal that the breaker is open for. Absent: all. */
  readonly openFor?: string
  /**
   * Whether the failure is partial: some calls succeeded shortly before the breaker opened. Such a target may still be called
   * as the last resort. Default `false`.
   */
  readonly partial?: boolean
  /** Why the breaker opened. Default `overloaded`. */
  readonly reason?: UnavailableReason
  /** Remaining cooldown for all principals, in milliseconds. */
  readonly cooldownMs: number
  /** The cooldown of a single principal, if that of others is shorter. */
  readonly pause?: SharedPause
}

/** A cooldown of a target for a single principal: only its requests are not sent to the target. */
export interface SharedPause {
  /** Digest of the principal. */
  readonly principal: string
  /** Remaining milliseconds. */
  readonly ms: number
}

/** A change in the health of a target, as one process publishes it. */
export interface SharedTargetChange {
  /** `provider/model`. */
  readonly id: string
  /** The breaker opened for `openMs` milliseconds, or closed (`openings` is 0). Absent: no change. */
  readonly breaker?: Pick<SharedTargetState, 'openings' | 'openMs' | 'openFor' | 'partial' | 'reason'>
  /** A cooldown for all principals, in milliseconds. The longest one counts. Absent: no change. */
  readonly cooldownMs?: number
  /**
   * A cooldown for one principal. If another principal has one too, the shorter of both applies to all principals. Absent: no
   * change.
   */
  readonly pause?: SharedPause
}

/**
 * Shares the health of targets between processes, such as `redisHealth(client)`. Operations may reject or be slow: no request
 * waits for them, and each process falls back to its own measurements.
 */
export interface SharedHealth {
  /** Returns the state of each target, in the order of `ids`; `undefined` if unknown. At most 100 ids. */
  read(ids: readonly string[]): Promise<readonly (SharedTargetState | undefined)[]>
  /** Applies at most 100 changes in order, and returns the new `generation` of each target. */
  write(changes: readonly SharedTargetChange[]): Promise<readonly number[]>
  /**
   * Acquires the lock to probe a target, and returns whether it succeeded. `holder` is a random text that identifies the
   * process. The lock ends after `ms` milliseconds, when it is released, or when the breaker changes.
   */
  acquireProbe(id: string, holder: string, ms: number): Promise<boolean>
  /** Releases the lock if `holder` has it. */
  releaseProbe(id: string, holder: string): Promise<void>
}

import type { UnavailableReason } from '../errors/unavailable-reason.ts'

/** What processes know of a target together. Principals are told by digests of 16 characters, and never by their ids. */
export interface SharedTargetState {
  /** Another number after each opening and each closing, and never one that it was before. */
  readonly generation: number
  /** How often it was opened since it was last closed; 0: it is closed. */
  readonly openings: number
  /** How long it is open yet, in milliseconds; 0 where it is closed, or may be probed. */
  readonly openMs: number
  /** The only principal that it is open for; absent: it is open for all. */
  readonly openFor?: string
  /** Whether it answered some calls shortly before it was opened. Default: no. */
  readonly partial?: boolean
  /** Why it was opened. Default: `overloaded`. */
  readonly reason?: UnavailableReason
  /** How long all leave it alone yet because it asked for a pause, in milliseconds. */
  readonly cooldownMs: number
  /** How long one principal does, the only one that was asked to for so long. */
  readonly pause?: SharedPause
}

/** How long a principal leaves a target alone, in milliseconds. */
export interface SharedPause {
  readonly principal: string
  readonly ms: number
}

/** What one process has to tell of a target. */
export interface SharedTargetChange {
  /** `provider/model`. */
  readonly id: string
  /** It was opened for `openMs` milliseconds, or closed (0 `openings`); absent: neither. */
  readonly breaker?: Pick<SharedTargetState, 'openings' | 'openMs' | 'openFor' | 'partial' | 'reason'>
  /** It asked all for a pause of so many milliseconds. The longest of all counts. Absent: it did not. */
  readonly cooldownMs?: number
  /**
   * It asked a principal for a pause. Where another one has a pause too, the shorter one of both counts for all. Absent:
   * it did not.
   */
  readonly pause?: SharedPause
}

/**
 * Where processes tell each other how targets do: `redisHealth(client)`. Operations may reject, and need not be in
 * time: no request waits for one, and a process goes on by what it knows itself.
 */
export interface SharedHealth {
  /** What is known of each of the targets, in their order; `undefined` where nothing is. At most 100 ids. */
  read(ids: readonly string[]): Promise<readonly (SharedTargetState | undefined)[]>
  /** Tells changes, in order: at most 100. Gives the generation of each. */
  write(changes: readonly SharedTargetChange[]): Promise<readonly number[]>
  /**
   * Whether whoever has the `token` may probe the target: one at a time, for `ms` milliseconds from now unless it is let
   * go before, or a change of its breaker is told.
   */
  acquireProbe(id: string, token: string, ms: number): Promise<boolean>
  /** Gives a probe back, where the token has it. */
  releaseProbe(id: string, token: string): Promise<void>
}

/** What processes know of a target together. */
export interface SharedTargetState {
  /** Another number after each opening and each closing, and never one that it was before. */
  readonly generation: number
  /** How often it was opened since it was last closed; 0: it is closed. */
  readonly openings: number
  /** How long it is open yet, in milliseconds; 0 where it is closed, or may be probed. */
  readonly openMs: number
  /** How long it is left alone yet because it asked for a pause, in milliseconds. */
  readonly coolingMs: number
}

/** What one process has to tell of a target. */
export interface SharedTargetChange {
  /** `provider/model`. */
  readonly id: string
  /** It was opened for `openMs` milliseconds, or closed (0 `openings`); absent: neither. */
  readonly breaker?: Pick<SharedTargetState, 'openings' | 'openMs'>
  /** It asked for a pause of so many milliseconds. The longest of all counts. Absent: it did not. */
  readonly coolingMs?: number
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
  claimProbe(id: string, token: string, ms: number): Promise<boolean>
  /** Gives a probe back, where the token has it. */
  letGoProbe(id: string, token: string): Promise<void>
}

/** Why a place was not asked. Told to whoever reads the trace, never to a model. */
export interface SkipReason {
  readonly why: /** Its breaker is open: it failed too often. */
    | 'open'
    /** It asked for a pause: it had no room, or refused this service's credentials. */
    | 'cooldown'
    /** The caller may not use the name by which it was reached. */
    | 'not_allowed'
    /** The request is longer than its context. */
    | 'too_small'
    /** Its model lacks something that the request needs. */
    | 'unfit'
    /** It obeys a field of the request that this caller may not send. */
    | 'restricted_field'
    /** Too many of its calls are repeats already. */
    | 'retry_budget'
    /** The route chose others. */
    | 'not_chosen'
  /** When it may be asked again, in milliseconds from then. */
  readonly waitMs?: number
  /** In a few words. Never a value of the caller's messages. */
  readonly detail?: string
}

/** A place that could have answered. */
export interface TracedTarget {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The names in the model table by which it was reached, beside the one that was asked for: `big > huge`. */
  readonly via?: string
  /** Why it was not asked, or not again. Absent where it was, or would have been after those before it. */
  readonly skipped?: SkipReason
}

/** How a request came to its answer. */
export interface RequestTrace {
  /** From 0 to 2^32 - 1: what chance decided can be decided again with it. */
  readonly seed: number
  /** Those that the route gave, in the order in which they are asked, then those that it did not choose. At most 100. */
  readonly candidates: readonly TracedTarget[]
  /** How many are left out; absent where none are. */
  readonly more?: number
  /**
   * Milliseconds up to the first byte of the answer that were spent neither in attempts nor in waiting for room or
   * between attempts: what this service took, with your functions and the arrival of the request's body. `undefined`
   * where there was no answer.
   */
  readonly overheadMs: number | undefined
}

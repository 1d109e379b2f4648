/** Why a target was not called. */
export interface SkipReason {
  readonly why: /** Its circuit breaker is open: too many calls failed. */
    | 'open'
    /** It is in cooldown, after a 429, 401 or 402. */
    | 'cooldown'
    /** A limit of the target is exceeded (`callOptions.limits`). */
    | 'target_limit'
    /** The principal may not use a name of the model table that leads to it. */
    | 'not_allowed'
    /** The request exceeds its context length. */
    | 'too_small'
    /** Its model or provider does not support something that the request needs. */
    | 'unfit'
    /** The request has a restricted field that the principal may not send to it. */
    | 'restricted_field'
    /** Its retry budget is exhausted. */
    | 'retry_budget'
    /** The route chose other targets. */
    | 'not_chosen'
  /** When it may be called again, in milliseconds from the decision on. */
  readonly waitMs?: number
  /** An explanation in a few words. It never holds content of messages. */
  readonly detail?: string
}

/** A target that was considered. */
export interface TracedTarget {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The further names of the model table from the requested model to the target: `big > huge`. */
  readonly via?: string
  /** Why it was not called, or not retried. Absent if it was called, or would have been next. */
  readonly skipped?: SkipReason
  /** The keys of its provider that were not used, and why. Absent if there are none. */
  readonly skippedKeys?: readonly SkippedKey[]
}

/** A key of a provider that was not used. */
export interface SkippedKey extends SkipReason {
  /** The `id` of the key, such as `key 2`. */
  readonly key: string
}

/** What a hook did with a request. */
export interface HookRecord {
  readonly name: string
  /** `failed`: it failed, whatever followed. Otherwise what it did last: a refusal counts before a change. */
  readonly outcome: 'passed' | 'changed' | 'refused' | 'failed'
  /** Time in its functions, in milliseconds. */
  readonly ms: number
}

/** How a request was routed. Not an OpenTelemetry trace: see `Tracer` for those. */
export interface RequestTrace {
  /** The seed of all random decisions, an integer from 0 to 2^32 - 1, to reproduce them. */
  readonly seed: number
  /** The targets of the route in the order of attempts, then those that it did not choose. At most 100. */
  readonly candidates: readonly TracedTarget[]
  /** How many candidates are omitted; absent if none are. */
  readonly more?: number
  /**
   * Milliseconds that the gateway itself added before the first byte of the response, including your functions and reading
   * the request body. Attempts, backoff and waiting for limits do not count. `undefined` without a response.
   */
  readonly overheadMs: number | undefined
  /** What the hooks that applied did, in their order; absent if there were none. */
  readonly hooks?: readonly HookRecord[]
}

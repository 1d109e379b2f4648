import type { UnavailableReason } from '../errors/unavailable-reason.ts'
import type { CallOptions } from './call-options.ts'
import type { ProviderKey } from './provider.ts'

/** The health of a target, as measured by this process. */
export interface TargetHealth {
  /** Number of calls in flight. */
  readonly active: number
  /**
   * Moving average of the time to the first token of a stream, in milliseconds. It rises at once and falls slowly.
   * `undefined` without a measurement within the last minute.
   */
  readonly firstTokenMs: number | undefined
  /** The same average for responses that are not streamed: the time to the complete response, in milliseconds. */
  readonly responseMs: number | undefined
  /**
   * State of the circuit breaker. `closed`: calls are made. `cooldown`: the target returned 429, 401 or 402. `open`: too
   * many calls failed. `half_open`: a single call probes it.
   */
  readonly state: 'closed' | 'cooldown' | 'open' | 'half_open'
  /** Milliseconds until the target may be called again; 0 if it may be now. */
  readonly waitMs: number
  /** Why the state is not `closed`; absent if it is. */
  readonly reason?: UnavailableReason
  /**
   * `all`: the target is unavailable to all principals. `principal`: only to the one whose calls failed, until calls of
   * others fail too. Absent if `state` is `closed`.
   */
  readonly scope?: 'all' | 'principal'
  /** How long the state has not been `closed`, in milliseconds; absent if it is. */
  readonly unavailableMs?: number
  /** The keys of the provider, with their cooldowns at this target. Absent if the provider has no `keys`. */
  readonly keys?: readonly KeyHealth[]
}

/** The health of a provider's key at one target. */
export interface KeyHealth {
  readonly id: string
  /** Milliseconds until it may be used again; 0 if it may be now. */
  readonly waitMs: number
  /** Why it is in cooldown; absent if it is not. */
  readonly reason?: UnavailableReason
}

/** What one request knows of a target's keys: the same object for all its calls to the target. */
export interface KeyUse {
  /** Chooses the keys. Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** The ids of the keys that the vendor rejected or limited for this request. */
  readonly failed: string[]
  /** Those of them that got a 403, with the error: the fault of the key only if another key is accepted. */
  readonly forbidden: Map<string, unknown>
}

/** One call to a target. */
export interface HealthCall {
  /** The `id` of the key to call with. Absent if the provider has no `keys`. */
  readonly key?: string | undefined
  /** Whether it failed because of its key, and the request may use another one. Valid after `ended`. */
  readonly hasOtherKey?: boolean
  /** Reports the first content. `whole`: the response is not streamed, and complete. */
  answered(now: number, whole?: boolean): void
  /**
   * Reports the end of the call, with its error if it failed. Only the first report counts. An error that the target did not
   * cause, such as a disconnected client, does not affect its health, and releases a probe.
   */
  ended(error: unknown, now: number): void
}

/** Why a target must not be called now. */
export interface TargetUnavailable {
  readonly state: 'cooldown' | 'open' | 'half_open'
  readonly waitMs: number
  /** Default `overloaded`. */
  readonly reason?: UnavailableReason
  /** Limits of the target, and not of the vendor: whether they are exceeded, or could not be checked. Absent: neither. */
  readonly limit?: 'exceeded' | 'unknown'
}

/**
 * Tracks the health of one target. Times are monotonic milliseconds. `caller` is the principal of the request, as a target
 * may be unavailable to one principal and available to others; without it, the state for any principal applies.
 */
export interface HealthRecord {
  view(now: number, caller?: Caller): TargetHealth
  /** Returns the `waitMs` of `view`, without creating the rest. */
  waitMs(now: number, caller?: Caller): number
  /**
   * Begins a call, or returns why it must not be made. A half-open target allows a single call as its probe. `lastResort`:
   * the request has no other target. Then an open target is allowed if its failure is partial, any other occasionally.
   * `keys`: required to retry with another key. `options`: those of the target, which apply until its next call.
   */
  begin(
    now: number,
    lastResort?: boolean,
    caller?: Caller,
    keys?: KeyUse,
    options?: CallOptions,
  ): HealthCall | TargetUnavailable
  /** Returns the milliseconds until the target may be called as the last resort; 0 if it may be now. */
  lastResortMs(now: number, caller?: Caller): number
  /**
   * Takes a retry from the retry budget of the target and its principal, and returns a function that releases it. Returns
   * `undefined` if the budget is exhausted.
   */
  acquireRetry(now: number, caller?: Caller): (() => void) | undefined
}

/** The health of all targets. Targets with the same provider name and model share a record, whatever their settings. */
export interface HealthRegistry {
  of(target: {
    readonly provider: { readonly name: string; readonly keys?: readonly ProviderKey[] }
    readonly model: string
  }): HealthRecord
}

/** The principal that a call is made for. */
export interface Caller {
  /** A short digest of the principal: read only after a failure, because computing it takes time. */
  readonly digest: string
}

import type { RequestOutcome } from './events.ts'
import type { Operation } from './outline.ts'
import type { PrincipalId } from './principal.ts'
import type { HookRecord } from './trace.ts'

/**
 * What a record describes: a `request`, or a discarded call, whose response the client did not get. Discarded calls are the
 * slower call of a `hedge`, a mirrored call (`shadow`), or one that ended with a `timeout` before another attempt.
 */
export type RecordKind = 'request' | 'hedge' | 'shadow' | 'timeout'

/** The record of a request, written before its first upstream call. */
export interface LedgerEntry {
  /** Default: `request`. */
  readonly kind?: RecordKind
  /** A UUID version 7 that the gateway generates. Callers cannot choose it. */
  readonly id: string
  /** The id of the request. A discarded call has that of its request. */
  readonly requestId: string
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  /** The id of the principal: what usage queries call `key`. */
  readonly principal: string
  /** The source of the principal, as ids are unique only within one; `undefined` if it has none. */
  readonly source?: string | undefined
  /**
   * The end user, as the caller names it; `undefined` if it names none. At most 256 characters: a longer name is stored as
   * its SHA-256.
   */
  readonly user?: string | undefined
  readonly tags: Readonly<Record<string, string>>
  /** The requested model: a name that `route` knows. */
  readonly model: string
  readonly stream: boolean
  /** Milliseconds since 1970. */
  readonly openedAt: number
  /** The estimated charge of the prompt. It applies if nothing else becomes known of the request. */
  readonly estimate: Charge
}

/** The tokens that a request used, and their cost. */
export interface Charge {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
  /** US dollars; `null` if no price is known. */
  readonly cost: number | null
}

/** The end of a request: its outcome, usage and cost. */
export interface LedgerClosing {
  /** The entry that it closes. If that was never stored, the closing alone makes the complete record. */
  readonly entry: LedgerEntry
  /** Milliseconds since 1970. */
  readonly closedAt: number
  readonly outcome: RequestOutcome
  readonly status: number
  /** The provider that responded, and the upstream's own name for the model; `undefined` if none did. */
  readonly provider: string | undefined
  readonly upstreamModel: string | undefined
  /** The model that the response names; `undefined` if it names none. One line of at most 200 characters. */
  readonly responseModel: string | undefined
  /** How many attempts called their upstream. */
  readonly attempts: number
  /** The hooks that applied, and what they did. Absent: none. */
  readonly hooks?: readonly HookRecord[] | undefined
  /** `undefined` if no upstream accepted the request: nothing is charged. */
  readonly charge: Charge | undefined
  /** Whether the charge is an estimate rather than the vendor's counts. */
  readonly estimated: boolean
  /** Milliseconds from the arrival of the request to the first byte of the response. */
  readonly firstByteMs: number | undefined
  /** Milliseconds from the arrival of the request to the end of the response. */
  readonly totalMs: number
}

/**
 * Records every admitted request: opened before the first upstream call, closed once when the request ends. Records that a
 * crash leaves open have to be closed later, with an estimated charge.
 */
export interface Ledger {
  /**
   * Stores an entry, and resolves once it is stored. If it rejects, a request that counts against a budget fails with 503
   * `ledger_unavailable`. `progress` returns the usage so far, or `undefined` if it is not known yet. Call it from time to time
   * and store its result, so that it survives a crash.
   */
  open(entry: LedgerEntry, progress: () => Charge | undefined): void | Promise<void>
  /**
   * Stores the end of a request, and resolves once it is stored. Called once for each opened entry, after `open` has
   * resolved, rejected, or run longer than `timeouts.policyMs`.
   */
  close(closing: LedgerClosing): void | Promise<void>
  /**
   * Deletes the entry of a request that was rejected because `open` failed. Called instead of `close`. Resolves once no
   * record is left, as far as possible. Default: `close` is called, with the outcome `refused` and no charge.
   */
  cancel?(entry: LedgerEntry): void | Promise<void>
  /**
   * Records an upstream call whose response was discarded, once it has ended. Its entry was not opened before, and its kind
   * is not `request`. The call may cost money, but is not usage of the caller. It may be called after the `close` of the
   * request. Resolves once the record is stored. Default: discarded calls are not recorded.
   */
  recordDiscarded?(closing: LedgerClosing): void | Promise<void>
  /** Resolves once all pending records are stored, as far as possible. `gateway.close` waits for it. */
  flush?(): void | Promise<void>
  /**
   * Deletes all records of a principal, and returns how many there were. Default: records cannot be deleted. See
   * `deletePrincipal` of `@sluice/core/keys`.
   */
  deletePrincipal?(principal: PrincipalId): number | Promise<number>
}

/**
 * A dimension to group usage by. `key`: the id of the principal, whatever it authenticated with. `source`: that of the
 * principal. `user`: the end user that the caller names. `model`: the requested model. `provider`: the one that responded.
 * `day`: in UTC. `kind`: see `RecordKind`. `tag:team`: the value of the tag `team`.
 */
export type UsageDimension =
  | 'key'
  | 'source'
  | 'user'
  | 'model'
  | 'provider'
  | 'operation'
  | 'dialect'
  | 'day'
  | 'kind'
  | `tag:${string}`

/** Selects and groups usage. */
export interface UsageQuery {
  /** The dimensions to group by: the result has a row per combination. Empty: one row in total. */
  readonly by: readonly UsageDimension[]
  /** Start of the period in which requests were opened: milliseconds since 1970, or a `Date`. Default: unbounded. */
  readonly from?: number | Date | undefined
  /** End of the period, exclusive. Default: unbounded. */
  readonly to?: number | Date | undefined
  /** Only records that match every field. Default: all requests. */
  readonly where?: UsageFilter | undefined
}

/**
 * Exact values that a record must have. A field that is present but `undefined` throws `TypeError`: ignoring it would return
 * the usage of all principals.
 */
export interface UsageFilter {
  /** The id of the principal, whatever it authenticated with. */
  readonly key?: string
  /** The source of the principal, such as `api_keys`. Two principals with one id have different sources. */
  readonly source?: string
  /** The end user, as the caller named it. */
  readonly user?: string
  readonly model?: string
  readonly provider?: string
  readonly operation?: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect?: string
  /** Values by tag name; at most 8. */
  readonly tags?: Readonly<Record<string, string>>
  /** Which kinds of records count: `'shadow'`, or several, such as `['hedge', 'shadow']`. Default: `'request'`. */
  readonly kind?: RecordKind | readonly RecordKind[]
}

/** Sums over records of the queried `kind`. Open records count in `requests` and `open` only. */
export interface UsageRow {
  /** Values by dimension: `{ key: 'ann', day: '2026-11-21' }` (days in UTC). `null` if the records have none. */
  readonly by: Readonly<Partial<Record<UsageDimension, string | null>>>
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
  /** US dollars, summed over requests with a known price. */
  readonly cost: number
  /** Number of requests whose usage has no known price. */
  readonly unpriced: number
  /** Number of requests whose usage is an estimate. */
  readonly estimated: number
  /** Number of requests that have not ended. */
  readonly open: number
}

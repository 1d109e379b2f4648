import type { AuthFailureReason } from '../errors/auth-failure.ts'
import type { AttemptReason, RequestOutcome } from './events.ts'
import type { Operation } from './outline.ts'
import type { PrincipalId } from './principal.ts'
import type { HookRecord, TracedTarget } from './trace.ts'

/**
 * A request in the request log. It has no prompt, no response and no key. Texts hold what every database can store, and fields
 * without a value are `null`.
 */
export interface LoggedRequest {
  /** The request id, such as that of `x-request-id`. The gateway generates it. */
  readonly id: string
  /** The id that the client sent for the request. */
  readonly clientRequestId: string | null
  /** When the request arrived, in whole milliseconds since 1970. */
  readonly at: number
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  readonly outcome: RequestOutcome
  /** HTTP status of the response; 499 if the client disconnected before it. */
  readonly status: number
  /** The id of the principal: what queries call `key`. */
  readonly principal: string | null
  readonly source: string | null
  readonly tags: Readonly<Record<string, string>>
  /** The end user, as the caller names it. */
  readonly user: string | null
  /** Why authentication failed. */
  readonly authFailure: AuthFailureReason | null
  /** The requested model, if the route knows it. */
  readonly model: string | null
  /** The provider of the response, or of the last call without one. */
  readonly provider: string | null
  readonly upstreamModel: string | null
  /** The model that the response names. */
  readonly responseModel: string | null
  readonly stream: boolean
  readonly promptTokens: number | null
  readonly cachedTokens: number | null
  readonly completionTokens: number | null
  readonly reasoningTokens: number | null
  readonly usageEstimated: boolean
  /** US dollars. */
  readonly cost: number | null
  /** Durations in milliseconds. */
  readonly queueMs: number
  readonly firstByteMs: number | null
  readonly totalMs: number
  readonly overheadMs: number | null
  readonly cache: 'hit' | 'miss' | 'failed' | null
  /** Whether the response repeats that of an earlier request with the same idempotency key. */
  readonly replayed: boolean
  /** What the request failed with: the reason of a rejection, or the kind of failure. */
  readonly error: string | null
  /** The status of the upstream that failed. */
  readonly errorStatus: number | null
  readonly errorMessage: string | null
  /** The errors of the request and of its attempts as one text, which `errorText` of a query searches. */
  readonly errorText: string | null
  readonly attempts: readonly LoggedAttempt[]
  /** The seed of all random decisions of the routing. */
  readonly seed: number
  /** The targets that were considered, and why they were not called. */
  readonly candidates: readonly TracedTarget[]
  /** The hooks that applied, and what they did. */
  readonly hooks: readonly HookRecord[]
  /** How parameters were changed: `temperature dropped: ...`. */
  readonly adjustments: readonly string[]
  /** The `dryRun` rules that would have rejected the request. */
  readonly wouldHaveRefused: readonly string[]
  /** How many attempts, candidates, hooks, adjustments and rules are omitted because there were too many. */
  readonly omitted: number
}

/** An attempt of a logged request. */
export interface LoggedAttempt {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The `id` of the provider's key, such as `key 2`. */
  readonly key: string | null
  readonly why: AttemptReason
  readonly called: boolean
  /** Milliseconds from the start of the request. */
  readonly startMs: number
  readonly ms: number
  readonly waitedMs: number
  readonly status: number | null
  /** What the attempt failed with. `answered_elsewhere` and `cut_off`: it was cancelled. */
  readonly error: string | null
  readonly errorMessage: string | null
}

/** The position of a row in the order of the log: by time, then by id. */
export interface RequestLogPosition {
  readonly at: number
  readonly id: string
}

/** The conditions of a search. Every field that is not `undefined` must match exactly, unless it says otherwise. */
export interface RequestLogFilter {
  readonly id?: string
  readonly clientRequestId?: string
  /** The id of the principal. */
  readonly key?: string
  /** The source of the principal, such as `api_keys`. */
  readonly source?: string
  /** The end user, as the caller named it. */
  readonly user?: string
  /** The requested model. */
  readonly model?: string
  readonly provider?: string
  readonly operation?: Operation
  readonly dialect?: string
  readonly outcome?: RequestOutcome
  /** A status such as 429, or a class: `4xx`. */
  readonly status?: number | `${1 | 2 | 3 | 4 | 5}xx`
  /** The reason of a rejection or the kind of failure, such as `rate_limit_exceeded`. */
  readonly error?: string
  /** A part of the text of an error, regardless of ASCII upper and lower case. */
  readonly errorText?: string
  /** Values by tag name. */
  readonly tags?: Readonly<Record<string, string>>
}

/** A search as a repository receives it: validated, with texts that every database can store. */
export interface RequestLogSearch {
  /** Start of the period, in whole milliseconds since 1970. `undefined`: unbounded. */
  readonly from: number | undefined
  /** End of the period, exclusive. */
  readonly to: number | undefined
  readonly where: RequestLogFilter
  /** Only rows after this one in the order of the result: older ones. */
  readonly after: RequestLogPosition | undefined
  /** Maximum number of rows. */
  readonly limit: number
}

/** What a log may hold at most. */
export interface RequestLogCapacity {
  readonly maxRows?: number | undefined
  /** Bytes of the rows as JSON. Indexes are not part of it. */
  readonly maxBytes?: number | undefined
}

/**
 * A table of logged requests in a database. Each call is atomic and can be repeated: `createRequestLog` of `@sluice/log` writes a
 * batch again whose outcome it does not know.
 */
export interface RequestLogRepository {
  /** Stores rows. A row whose id is stored already is ignored. Resolves once they are stored. */
  insert(rows: readonly LoggedRequest[]): Promise<void>
  /** Returns the rows that match, newest first, and in descending order of ids within a millisecond. */
  search(search: RequestLogSearch): Promise<readonly LoggedRequest[]>
  /** Deletes all rows that arrived before a time, and returns how many. */
  deleteBefore(at: number): Promise<number>
  /**
   * Returns the time before which rows are to be deleted, so that the newest rows that fit remain; `undefined` if all fit. Rows of
   * one millisecond are deleted together.
   */
  excessBefore(capacity: RequestLogCapacity): Promise<number | undefined>
  /** Deletes all rows of a principal, and returns how many. A principal without a source: rows without one. */
  deletePrincipal(principal: PrincipalId): Promise<number>
}

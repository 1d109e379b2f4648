import type { AuthFailure } from '../errors/auth-failure.ts'
import type { UnavailableReason } from '../errors/unavailable-reason.ts'
import type { Usage } from '../protocol/chat.ts'
import type { Operation } from './outline.ts'
import type { BudgetWindow, Principal } from './principal.ts'
import type { Adjustment } from './provider.ts'
import type { RequestTrace } from './trace.ts'

/** One attempt of a request: one try at one target. It may fail before the upstream is called. */
export interface AttemptRecord {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The `id` of the provider's key, such as `key 2`. Absent if the provider has no `keys`. */
  readonly key?: string
  /**
   * Present if `targets` of the route does not list the target, such as one that a pattern of models makes: callers may have made
   * up the name of its model.
   */
  readonly unlisted?: true
  /** Whether the upstream was called. `false` if its request could not be encoded, or the attempt never left the queue. */
  readonly called: boolean
  /** Milliseconds from the start of the request to the start of the attempt, before its time in the provider's queue. */
  readonly startMs: number
  /** Duration in milliseconds, from the start of the attempt to its first content or to its failure. */
  readonly ms: number
  /**
   * Why the attempt was made. `first`: the first attempt of the request. `retry`: the same target again after a failure.
   * `fallback`: another target after a failure. `hedge`: another target while a slow one is still running. `shadow`: a
   * mirrored call, whose response is discarded.
   */
  readonly why: AttemptReason
  /** Backoff before the attempt, in milliseconds. */
  readonly waitedMs: number
  /** HTTP status of the upstream; `undefined` if it sent none. */
  readonly status: number | undefined
  /**
   * What the attempt failed with, before or during its response; `undefined` if it did not fail. An attempt that was cancelled
   * rather than failed has an `Error` with one of three names. `error.name` is `AnsweredElsewhere` if the other call of a hedge
   * was faster, `QueueLeft` if it waited for a slot of its provider while another target was free, and `LifeEnded` if the client
   * disconnected, the gateway was closed, or another part of a request for embeddings failed.
   */
  readonly error: unknown
}

/** Why an attempt was made: see `why` of `AttemptRecord`. */
export type AttemptReason = 'first' | 'retry' | 'fallback' | 'hedge' | 'shadow'

/**
 * How a request ended. In a ledger, records that a crash left open have the further outcome `lost`: see
 * `LedgerRepository.closeOrphans`.
 */
export type RequestOutcome =
  /** The response was sent to its end. */
  | 'completed'
  /** The gateway rejected the request with a `GatewayError`, such as a 401, 400, 429 or 503. */
  | 'refused'
  /** The client disconnected before the end of its response. */
  | 'client_disconnected'
  /** The upstream calls failed, with an error response of the vendor, a timeout or a broken connection. */
  | 'upstream_failed'
  /** `close` of the gateway aborted the request. */
  | 'gateway_closed'
  /** An unexpected error, such as one of your own functions. The response was a 500. */
  | 'internal_error'

/**
 * A request to a model starts: its caller is authenticated and authorized for the model. Limits are checked after it. An
 * `end` event always follows. Requests that are rejected earlier have an `end` event only.
 */
export interface BeginEvent {
  readonly type: 'begin'
  readonly requestId: string
  /** The id that the client sent for the request (option `clientRequestId`); `undefined` if it sent none. */
  readonly clientRequestId: string | undefined
  /** When the request arrived, in milliseconds since 1970. */
  readonly at: number
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  /** A copy: changes to it do not affect the request. */
  readonly principal: Pick<Principal, 'id' | 'source' | 'tags'>
  /** The requested model: a name that `route` knows. */
  readonly model: string
  /** Present if `route` does not list the model: see `EndEvent`. */
  readonly unlisted?: true
  /** Whether the response is streamed. */
  readonly stream: boolean
}

/** A request to a model has ended. Each has exactly one of these events. */
export interface EndEvent {
  readonly type: 'end'
  readonly requestId: string
  /** The id that the client sent for the request (option `clientRequestId`); `undefined` if it sent none. */
  readonly clientRequestId: string | undefined
  /** When the request arrived, in milliseconds since 1970. */
  readonly at: number
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  readonly outcome: RequestOutcome
  /** HTTP status of the response; 499 if the client disconnected before it. */
  readonly status: number
  /** A copy with the members of `Principal` only, whatever else the object of `authenticate` has. */
  readonly principal: Principal | undefined
  /**
   * The end user, as the caller names it; `undefined` if it names none. At most 256 characters: a longer name is replaced by
   * its SHA-256. Callers choose it, and there is no bound to the number of values: use it in logs, never as a metric label.
   */
  readonly user: string | undefined
  /** Why authentication failed, if the status is 401. The response does not contain it. */
  readonly authFailure: AuthFailure | undefined
  /**
   * The requested model, if `route` knows it. Without `unlisted` the number of values is bounded, so it can be a metric label.
   * `undefined` for an unknown name; the 404 in `error` contains it.
   */
  readonly model: string | undefined
  /**
   * Present if `list` of the route does not have the model, such as a name that only a pattern matches: callers may have made it
   * up, and there is no bound to the number of values.
   */
  readonly unlisted?: true
  /**
   * The model that the vendor's response names, such as the snapshot behind an alias: one line of at most 200 characters.
   * `undefined` if it names none, or no vendor responded.
   */
  readonly responseModel: string | undefined
  /** Whether the request asked for a stream. */
  readonly stream: boolean
  /** All attempts in order, cancelled ones included. Mirrored calls are not: they have `discarded_call` events. */
  readonly attempts: readonly AttemptRecord[]
  /**
   * How the provider of the response changed parameters that its vendor does not support as they are. At most 1,000: if
   * there are more, the last has the parameter `*`, and its detail says how many are omitted.
   */
  readonly adjustments: readonly Adjustment[]
  /**
   * Tokens used: the vendor's counts, or an estimate if the response or the request ended without them. `undefined` if no
   * upstream accepted the request.
   */
  readonly usage: Usage | undefined
  /** Whether `usage` is an estimate. */
  readonly usageEstimated: boolean
  /** US dollars, by the gateway's `prices`; `null` without usage or without a known price. */
  readonly cost: number | null
  /**
   * The `dryRun` rules that would have rejected the request, as source text: `requests(60).per('minute')`. Empty if an
   * enforced rule rejected it.
   */
  readonly wouldHaveRefused: readonly string[]
  /** Durations in milliseconds. */
  readonly timings: {
    /** Waiting for limits, and in the queues of providers with `maxConcurrent`, over all attempts. */
    readonly queue: number
    /** From the arrival of the request to the first byte of the response body. */
    readonly firstByte: number | undefined
    /** From the arrival of the request to the end of the response. */
    readonly total: number
  }
  /**
   * Whether the response came from the cache, without an upstream call. `failed`: its store did not respond in time, which is
   * handled as a miss. `undefined` if the request is not cacheable.
   */
  readonly cache: 'hit' | 'miss' | 'failed' | undefined
  /** Whether the response repeats that of an earlier request with the same idempotency key, without an upstream call. */
  readonly replayed: boolean
  /** How the request was routed. Not an OpenTelemetry trace: see `Tracer` for those. */
  readonly trace: RequestTrace
  /** What the request failed with, including its `cause`. For logs: it may hold internal details. */
  readonly error: unknown
}

/** An attempt failed, and another one follows. */
export interface AttemptFailedEvent {
  readonly type: 'attempt_failed'
  readonly requestId: string
  readonly attempt: AttemptRecord
}

/** An unexpected error in a request other than a chat completion, such as `GET /models`. Its response was a 500. */
export interface InternalErrorEvent {
  readonly type: 'internal_error'
  readonly requestId: string
  readonly error: unknown
}

/** A problem that does not fail requests: reported at startup, or once when it first occurs. */
export interface WarningEvent {
  readonly type: 'warning'
  /**
   * `only_local_in_production`: every target is a `local()` provider, although `NODE_ENV` is `production`.
   * `load_shedder_failed`: `loadShedder` threw or returned something else than a reason, and the request was accepted.
   * `trace_header_failed`: the `traceHeader` function threw, and the response has no such header.
   * `exposes_cost_failed`: the `exposesCost` function threw, and the answer has no cost. `tracer_failed`: the `Tracer`
   * threw or returned invalid headers, and spans are missing. `prices_not_refreshed`: a new table of prices could not be loaded
   * or is invalid, and the last valid one applies. `prices_outdated`: the table of prices is old. `hook_failed`: a hook threw, timed
   * out or returned something invalid. `body_recorder_failed`: the recorder of bodies threw, and bodies are missing.
   * `unknown_model_name`: a limit or a hook is for a model that the model table does not have.
   * `telemetry_not_exported`: spans or metrics could not be sent by OTLP, and are missing there.
   */
  readonly code:
    | 'only_local_in_production'
    | 'load_shedder_failed'
    | 'trace_header_failed'
    | 'exposes_cost_failed'
    | 'tracer_failed'
    | 'prices_not_refreshed'
    | 'prices_outdated'
    | 'hook_failed'
    | 'body_recorder_failed'
    | 'unknown_model_name'
    | 'telemetry_not_exported'
  readonly message: string
  /** The error behind it, if there is one. */
  readonly error?: unknown
}

/** A store has failed or has recovered. Sent once per change of state. */
export interface StoreEvent {
  readonly type: 'store'
  /**
   * `answers`: the `CacheStore` of cached responses and idempotency keys. `responses`: the `ResponseStore`. `health`: the
   * `SharedHealth` of targets. `log` and `bodies`: the `RequestLogRepository` and the `BodyLogRepository` of
   * `@sluice/log`.
   */
  readonly store: 'limits' | 'ledger' | 'keys' | 'answers' | 'responses' | 'health' | 'log' | 'bodies'
  /** `working`: it works again, or a reload has replaced it. */
  readonly state: 'failing' | 'working'
  /** What the store failed with. */
  readonly error: unknown
}

/**
 * Records of the ledger were lost: what they cost is in no sum. Sent at most once per second. An open row of such a request
 * is closed as `lost` later.
 */
export interface LedgerRecordsLostEvent {
  readonly type: 'ledger_records_lost'
  readonly records: number
  /** `full`: too many waited for the database (`maxPending`). `closed`: the ledger was stopped while its database was unavailable. */
  readonly reason: 'full' | 'closed'
}

/** Rows of the request log of `@sluice/log` were lost. Sent at most once per second. */
export interface LogRowsLostEvent {
  readonly type: 'log_rows_lost'
  readonly rows: number
  /** `full`: too many waited for the database. `rejected`: it refused the row. `closed`: the log was closed first. */
  readonly reason: string
}

/** Bodies of requests were lost by the log of bodies of `@sluice/log`. Sent at most once per second. */
export interface LogBodiesLostEvent {
  readonly type: 'log_bodies_lost'
  /** Each has the bodies of one request. */
  readonly rows: number
  /** As of `LogRowsLostEvent`, or `redact_failed`: `redact` threw. */
  readonly reason: string
}

/**
 * An upstream call has ended whose response the client did not get: a mirrored call, the slower call of a hedge, or one
 * that timed out. It may cost money. It may end after the `end` event of its request. A mirrored call that could not be
 * made has this event too, with the error in its attempt.
 */
export interface DiscardedCallEvent {
  readonly type: 'discarded_call'
  readonly requestId: string
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  /** A copy with the members of `Principal` only, whatever else the object of `authenticate` has. */
  readonly principal: Principal | undefined
  /** The end user, as the caller names it; `undefined` if it names none. */
  readonly user: string | undefined
  /** The requested model. */
  readonly model: string
  /** Present if `route` does not list the model: see `EndEvent`. */
  readonly unlisted?: true
  readonly attempt: AttemptRecord
  /** The model that the vendor's response names; `undefined` if it names none. */
  readonly responseModel: string | undefined
  /** `undefined` if the upstream did not accept the request. */
  readonly usage: Usage | undefined
  readonly usageEstimated: boolean
  /** US dollars; `null` without a known price. */
  readonly cost: number | null
}

/** The circuit breaker of a target has changed its state. Sent once per change. */
export interface TargetEvent {
  readonly type: 'target'
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** Present if `targets` of the route does not list the target: see `AttemptRecord`. */
  readonly unlisted?: true
  readonly state: 'closed' | 'cooldown' | 'open' | 'half_open'
  /** Milliseconds until the target may be called again; 0 if it may be called now. */
  readonly waitMs: number
  /** Why the target is unavailable; `undefined` if `state` is `closed`. */
  readonly reason: UnavailableReason | undefined
  /**
   * `all`: the target is unavailable to all principals. `principal`: only to the one whose requests failed. `undefined` if
   * `state` is `closed`.
   */
  readonly scope: 'all' | 'principal' | undefined
  /** How long the target has been unavailable, or was before it closed, in milliseconds. */
  readonly unavailableMs: number
  /** The last failure of the target. */
  readonly error: unknown
}

/**
 * A key of a provider with several keys has entered cooldown at a target, or is available again. Sent once per change; the end
 * of a cooldown is noticed when the target is used next.
 */
export interface ProviderKeyEvent {
  readonly type: 'provider_key'
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** Present if `targets` of the route does not list the target: see `AttemptRecord`. */
  readonly unlisted?: true
  /** The `id` of the key, such as `key 2`: never the secret. */
  readonly key: string
  readonly state: 'available' | 'cooldown'
  /** Milliseconds until the key may be used again; 0 if it may be now. */
  readonly waitMs: number
  /** Why the key is in cooldown; `undefined` if it is available. */
  readonly reason: UnavailableReason | undefined
  /**
   * `all`: the key is not used for any principal. `principal`: not for the one whose request failed. `undefined` if it is
   * available.
   */
  readonly scope: 'all' | 'principal' | undefined
  /** The failure; `undefined` if the key is available, or another process reported the cooldown. */
  readonly error: unknown
}

/**
 * A request was charged to a budget, or refused by it. Each request has one for each of its budgets. None is sent for a request that is
 * refused because it can cost more than the whole budget, and while the store of the budget does not respond.
 */
export interface BudgetEvent {
  readonly type: 'budget'
  /** The rule as source text, without `dryRun`: `budget(50, 'usd').per('day')`. */
  readonly rule: string
  /** Identifies the counter among all of its store. */
  readonly counter: string
  /**
   * Who shares the counter, by scope: `{ key: 'ann' }`, with the `source` of the principal, or `{ 'tag:team': 'search' }`. Empty:
   * everybody.
   */
  readonly subject: Readonly<Record<string, string>>
  /** By the calendar in UTC. */
  readonly window: BudgetWindow
  /** US dollars. */
  readonly limit: number
  /** US dollars in this window, with what requests in flight have reserved. */
  readonly spent: number
  /** Whether the request was refused, because less is left than it can cost. */
  readonly refused: boolean
  readonly dryRun: boolean
}

/** An event of a gateway. Versions may add types: switch on `type` and ignore unknown ones. */
export type GatewayEvent =
  | BeginEvent
  | EndEvent
  | AttemptFailedEvent
  | DiscardedCallEvent
  | TargetEvent
  | ProviderKeyEvent
  | InternalErrorEvent
  | StoreEvent
  | LedgerRecordsLostEvent
  | LogRowsLostEvent
  | LogBodiesLostEvent
  | WarningEvent
  | BudgetEvent

/** Receives events. It cannot change a request; the gateway ignores what it throws. */
export type Observer = (event: GatewayEvent) => void

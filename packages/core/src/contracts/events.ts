import type { AuthFailure } from '../errors/auth-failure.ts'
import type { UnavailableReason } from '../errors/unavailable-reason.ts'
import type { Usage } from '../protocol/chat.ts'
import type { Principal } from './principal.ts'
import type { Adjustment } from './provider.ts'
import type { RequestTrace } from './trace.ts'

/** One attempt at one target. */
export interface AttemptRecord {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** Whether the upstream was asked. It was not where its request could not be written, or its turn never came. */
  readonly called: boolean
  /** Milliseconds from the request's beginning to its own; time in its provider's queue comes after it. */
  readonly startMs: number
  /** Milliseconds from its beginning to its answer's first content, or to its failure. */
  readonly ms: number
  /**
   * Why it was made: the request's `first`; a `retry` of a target that had failed; a `fallback` to another; a `hedge`
   * beside one that did not answer; a `shadow`, whose answer is dropped.
   */
  readonly why: AttemptReason
  /** How long was waited before it, in milliseconds. */
  readonly waitedMs: number
  /** The upstream's status, where it told one. */
  readonly status: number | undefined
  /**
   * What went wrong, also after it had begun to answer; `undefined` where nothing did. No failure, but why it was cut off,
   * is an error named `AnsweredElsewhere` (the other one of a hedge was sooner) or `LifeEnded` (the caller left, or the
   * gateway was closed).
   */
  readonly error: unknown
}

export type AttemptReason = 'first' | 'retry' | 'fallback' | 'hedge' | 'shadow'

/** How a request ended. `gateway_closed`: cut off by `close`. */
export type RequestOutcome =
  | 'completed'
  | 'refused'
  | 'client_disconnected'
  | 'upstream_failed'
  | 'gateway_closed'
  | 'internal_error'

/**
 * A request to `chat/completions` whose caller is known, and whose model they may use: from now on it waits for room and
 * for its answer. Its `end` comes later, always. Requests that are refused before have an `end` alone.
 */
export interface BeginEvent {
  readonly type: 'begin'
  readonly requestId: string
  /** The caller's own id for the request, as `clientRequestId` reads it; `undefined` where there is none. */
  readonly clientRequestId: string | undefined
  /** When the request came, in milliseconds since 1970. */
  readonly at: number
  /** A copy: the request goes on with its own. */
  readonly principal: Pick<Principal, 'id' | 'source' | 'tags'>
  /** The public name of a model that `route` knows. */
  readonly model: string
  /** Whether the caller asks for a stream. */
  readonly stream: boolean
}

/** The one record of a request to `chat/completions`, made when its answer has ended. */
export interface EndEvent {
  readonly type: 'end'
  readonly requestId: string
  /** The caller's own id for the request, as `clientRequestId` reads it; `undefined` where there is none. */
  readonly clientRequestId: string | undefined
  /** When the request came, in milliseconds since 1970. */
  readonly at: number
  readonly outcome: RequestOutcome
  /** The status that the caller saw; 499 where the caller left before one. */
  readonly status: number
  readonly principal: Principal | undefined
  /** Why nobody was authenticated, where the status is 401: the caller is not told. */
  readonly authFailure: AuthFailure | undefined
  /**
   * The public name of a model that `route` knows: fit for a label of a metric. `undefined` for any other name, which
   * is the caller's own text: the 404 in `error` tells it.
   */
  readonly model: string | undefined
  /**
   * The model that the vendor's answer names, such as the snapshot behind an alias: one line of at most 200 characters.
   * `undefined` where it names none, or nobody answered.
   */
  readonly responseModel: string | undefined
  /** Whether the caller asked for a stream. */
  readonly stream: boolean
  /** In order; those that were cut off included. Shadows are told of by events of their own. */
  readonly attempts: readonly AttemptRecord[]
  /**
   * What the provider did, of which the answer or the error is, to parameters that its vendor lacks or has in another
   * form. Of more than 1,000 the last one is `*`, and its detail says how many are left out.
   */
  readonly adjustments: readonly Adjustment[]
  /**
   * The vendor's counts, or an estimate where they never came although something was answered, or the caller left
   * or the gateway was closed after an upstream was asked. `undefined` where no upstream took the request.
   */
  readonly usage: Usage | undefined
  readonly usageEstimated: boolean
  /** US dollars, by the gateway's `prices`; `null` where there are none, or no usage, or no price is known. */
  readonly cost: number | null
  /**
   * The rules `asShadow` that would have refused the request, as they are written: `requests(60).per('minute')`. Empty
   * where it was refused by another.
   */
  readonly wouldHaveRefused: readonly string[]
  /** In milliseconds. */
  readonly timings: {
    /** For room, and in the queues of providers with `maxConcurrent`, over all attempts. */
    readonly queue: number
    /** From the request to the first byte of its answer's body. */
    readonly firstByte: number | undefined
    /** From the request to the end of its answer. */
    readonly total: number
  }
  /**
   * Whether the answer was found in the cache, in which case no model was asked; `undefined` where the request is not
   * one that is cached.
   */
  readonly cache: 'hit' | 'miss' | undefined
  /** Whether it is the answer of an earlier request with the same idempotency key: no model was asked. */
  readonly replayed: boolean
  /** How it was routed. */
  readonly trace: RequestTrace
  /** What went wrong, with its `cause`: for your log, not for the caller. */
  readonly error: unknown
}

/** One upstream failed and the next one is asked. */
export interface AttemptFailedEvent {
  readonly type: 'attempt_failed'
  readonly requestId: string
  readonly attempt: AttemptRecord
}

/** A fault inside, at a request that has no record of its own: one for the models. Its answer was a 500. */
export interface InternalErrorEvent {
  readonly type: 'internal_error'
  readonly requestId: string
  readonly error: unknown
}

/** Something that its owner should know: at start, or once when it begins. */
export interface WarningEvent {
  readonly type: 'warning'
  readonly code: 'only_local_in_production' | 'load_shedder_failed' | 'trace_header_failed' | 'tracer_failed'
  readonly message: string
  /** What went wrong, where something did. */
  readonly error?: unknown
}

/** Something that remembers fails, or works again: told once for each change. */
export interface StoreEvent {
  readonly type: 'store'
  readonly store: 'limits' | 'ledger' | 'keys' | 'answers' | 'health'
  readonly state: 'failing' | 'working'
  /** What went wrong. */
  readonly error: unknown
}

/**
 * A call whose answer the caller did not get: a shadow's, or the loser's of a hedge. It costs money, and it is told of
 * when it has ended, which may be after its request's end. A shadow that could not be asked is told of too: its
 * attempt says why.
 */
export interface DiscardedCallEvent {
  readonly type: 'discarded_call'
  readonly requestId: string
  readonly principal: Principal | undefined
  /** The public name of the model that was asked for. */
  readonly model: string
  readonly attempt: AttemptRecord
  /** The model that the vendor's answer names; `undefined` where it names none. */
  readonly responseModel: string | undefined
  /** `undefined` where the upstream did not take the request. */
  readonly usage: Usage | undefined
  readonly usageEstimated: boolean
  /** US dollars; `null` where no price is known. */
  readonly cost: number | null
}

/** A target is left alone, or asked again: told once for each change. */
export interface TargetEvent {
  readonly type: 'target'
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  readonly state: 'closed' | 'cooldown' | 'open' | 'half_open'
  /** For how long, in milliseconds; 0 where it may be asked now. */
  readonly waitMs: number
  /** Why it is left alone; `undefined` where it is closed. */
  readonly reason: UnavailableReason | undefined
  /**
   * `all`: it is left alone by all principals. `principal`: by one, the only one that saw it fail. `undefined` where it is
   * closed.
   */
  readonly scope: 'all' | 'principal' | undefined
  /** For how long it has not been closed, or had not been, in milliseconds. */
  readonly unavailableMs: number
  /** What it failed with last. */
  readonly error: unknown
}

/** What happens in a gateway. New kinds may be added: switch on `type` and ignore what you do not know. */
export type GatewayEvent =
  | BeginEvent
  | EndEvent
  | AttemptFailedEvent
  | DiscardedCallEvent
  | TargetEvent
  | InternalErrorEvent
  | StoreEvent
  | WarningEvent

/** Sees what happens. It cannot change a request, and what it throws is ignored. */
export type Observer = (event: GatewayEvent) => void

import type { Idempotency } from '../caching/idempotency.ts'
import type { ResponseCache } from '../caching/response-cache.ts'
import type { Clock } from '../clock/clock.ts'
import type { Authenticator } from '../contracts/authenticator.ts'
import type { Authorizer } from '../contracts/authorizer.ts'
import type { BodyRecorder } from '../contracts/body-recorder.ts'
import type { BreakerOptions, RetryOptions, Timeouts } from '../contracts/call-options.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Observer } from '../contracts/events.ts'
import type { Hook } from '../contracts/hook.ts'
import type { Ledger } from '../contracts/ledger.ts'
import type { Limiter } from '../contracts/limiter.ts'
import type { LoadShedder } from '../contracts/load-shedder.ts'
import type { PartialOptions } from '../contracts/partial-options.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import type { UnsupportedParameters } from '../contracts/provider.ts'
import type { ResponseStore } from '../contracts/response-store.ts'
import type { Route } from '../contracts/route.ts'
import type { SharedHealth } from '../contracts/shared-health.ts'
import type { Tracer } from '../contracts/tracer.ts'
import type { Transport } from '../contracts/transport.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import type { AbandonedCallOptions } from '../usage/abandoned-calls.ts'
import type { Prices } from '../usage/prices.ts'
import type { BackgroundOptions } from './background-options.ts'

/**
 * When streams get keep-alive comments, and when the head of a response is sent. The head is sent with the first content, or
 * after these waits. Before it, a failure can still become an HTTP status or a call to another target.
 */
export interface StreamPacing {
  /**
   * Milliseconds without data after which a keep-alive comment is sent. The same time bounds the wait for the first content,
   * after which the head is sent without any. If no other target can be called, the wait begins with the last call. If one can,
   * it begins with the head of the upstream's response: without that, the next target is called after `firstByteMs`. Default
   * 15,000.
   */
  readonly keepAliveMs: number
  /**
   * Milliseconds to wait for the first content after the head of the upstream's response, if no other target can be called. If
   * one can, the wait is `keepAliveMs`. Default 250.
   */
  readonly holdMs: number
}

/** Options of a gateway. `authenticate` and `route` are required. `Model` is the union of the route's model names. */
export interface GatewayOptions<Host = unknown, Model extends string = string> {
  /** Identifies the caller: returns a `Principal`, or `undefined`, for which the gateway sends a 401. */
  readonly authenticate: Authenticator<Host>
  /** Returns the targets for a request, best first: usually `models({...})`. */
  readonly route: Route<Model>
  /** Decides whether a principal may use a model. Default: by the principal's `models`. */
  readonly authorize?: Authorizer | undefined
  /**
   * Rate limits and budgets: rules such as `[requests(60).per('minute'), concurrent(5)]`, counted in this process;
   * `limits(rules, { store })` for rules that hold across processes; or a limiter of your own. Default: only the rules of
   * the principals.
   */
  readonly limits?: Limiter | LimitRuleData | readonly LimitRuleData[] | undefined
  /** Returns the price of a usage: `priceTable({...})`. Without it nothing has a price. */
  readonly prices?: Prices | undefined
  /** How to charge calls that are cancelled before any content. Default: their reservation. */
  readonly abandonedCalls?: PartialOptions<AbandonedCallOptions> | undefined
  /** Stores a record of each admitted request. Default: none. */
  readonly ledger?: Ledger | undefined
  /**
   * Names of a request's `metadata` that the ledger stores as tags: with `['feature']`, the tag `metadata.feature` has what the
   * caller wrote, in at most 256 characters. At most 8. Default: none.
   */
  readonly metadataTags?: readonly string[] | undefined
  /** Caches complete responses: `responseCache({ ttlMs: 60_000 })`. Default: no cache. */
  readonly cache?: ResponseCache | undefined
  /**
   * Stores responses for the requests that continue them: `memoryResponseStore({ ttlMs })` of `@sluice/core/store`, or
   * `redisResponseStore(client)`. `false`: none
   * is stored. Default: 10,000 responses or 64 MiB in this process, for an hour.
   */
  readonly responses?: ResponseStore | false | undefined
  /**
   * Bounds of responses that run in the background, without the connection of their caller. `false`: none does. Default: on
   * where the runtime has a process that lives on between requests, such as Node, Bun and Deno, and where responses are stored.
   * Setting bounds on another runtime is an error.
   */
  readonly background?: PartialOptions<BackgroundOptions> | false | undefined
  /**
   * Replays the response of an earlier request with the same `Idempotency-Key`: `idempotency()`. Default: the header is
   * not read.
   */
  readonly idempotency?: Idempotency | undefined
  /**
   * Records the bodies of requests and responses: `createBodyLog` of `@sluice/log`, which encrypts them. Default: no body is
   * recorded.
   */
  readonly bodies?: BodyRecorder | undefined
  /** Reads, changes or refuses requests and responses, in this order. Default: none. */
  readonly hooks?: readonly Hook[] | undefined
  /**
   * Rejects requests with 503 while the process is overloaded: `inFlightCap(500)`, or `loadShedding()` of `@sluice/node`.
   * It is called before anything else, and again after a body that was not buffered has arrived. Default: none.
   */
  readonly loadShedder?: LoadShedder | undefined
  /** Called with each event: start and end of a request, failed and discarded calls, state changes, and warnings. */
  readonly observe?: Observer | undefined
  /** Traces requests and their upstream calls as spans: `openTelemetry().tracer`. Default: none. */
  readonly tracer?: Tracer | undefined
  /**
   * Whether responses have the header `x-sluice-trace`: the targets of the route by provider and upstream model, why some
   * were skipped, and the attempts. A function decides per principal. Default false.
   */
  readonly traceHeader?: boolean | ((principal: Principal) => boolean) | undefined
  /**
   * Whether answers have their cost in US dollars, as the ledger records it: `usage.cost` in every dialect, and the header
   * `x-sluice-cost` of answers that are not streamed. Both are absent for a model without a price. A function decides per
   * principal. Default false.
   */
  readonly exposesCost?: boolean | ((principal: Principal) => boolean) | undefined
  /**
   * The request header with the caller's own id for a request, such as `'x-correlation-id'`; `true`: `x-request-id`. An id of
   * 1 to 128 characters of `A-Z a-z 0-9 . _ : / + = @ -` is in the events, and comes back in the response as
   * `x-client-request-id`. Any other is ignored. Nothing is looked up by it: leases and ledger entries have the gateway's own
   * id. Default: none is read.
   */
  readonly clientRequestId?: boolean | string | undefined
  /**
   * Sends requests to the vendors. Default: undici on Node, `fetch` elsewhere. A transport of your own may serve several
   * gateways; the gateway does not close it.
   */
  readonly transport?: Transport | undefined
  /** Path of the API below the mount: `/chat/completions` and `/models` are below it. Default `/v1`. */
  readonly basePath?: string | undefined
  /** Protocols that are served in addition to chat completions, each at its own path. Default: none. */
  readonly dialects?: readonly Dialect[] | undefined
  /**
   * `schema` (default) checks types and ranges. `live` adds rules that hosted services enforce on their live APIs:
   * `tool_choice` needs `tools`, and a `tool` message must answer a tool call of the message before.
   */
  readonly validation?: 'schema' | 'live' | undefined
  /** Whether unknown top-level fields are sent upstream (`pass`) or rejected with 400 (`reject`). Default `pass`. */
  readonly unknownParameters?: 'pass' | 'reject' | undefined
  /**
   * How to handle a parameter that changes the response and that the vendor does not support: reject with 400 (`refuse`,
   * default), or remove it and report that in the response (`drop`).
   */
  readonly unsupportedParameters?: UnsupportedParameters | undefined
  /** Limits on the size, depth and upload rate of request bodies. */
  readonly requestLimits?: PartialOptions<RequestLimits> | undefined
  /** Timeouts of your functions and of upstream calls, in milliseconds. */
  readonly timeouts?: PartialOptions<Timeouts> | undefined
  /** Keep-alive comments and buffering of streamed responses. */
  readonly stream?: PartialOptions<StreamPacing> | undefined
  /**
   * Maximum number of upstream calls per request, over all targets; of a request for embeddings that is split, per part. A retry
   * with another key of the same provider does not count. Default 3.
   */
  readonly maxAttempts?: number | undefined
  /** How a request is retried at a target that failed; `false`: never, but other targets are still called. */
  readonly retry?: PartialOptions<RetryOptions> | false | undefined
  /** The circuit breaker and cooldowns of targets; `false`: neither. */
  readonly breaker?: PartialOptions<BreakerOptions> | false | undefined
  /**
   * Shares the circuit breaker and cooldowns of targets between processes, such as `redisHealth(client)`. A target is
   * identified by its provider's name and its model. Default: each process has its own.
   */
  readonly sharedHealth?: SharedHealth | undefined
  /**
   * Timeout of one operation of a store, in milliseconds, from 1 to 60,000: of `cache`, `idempotency`, `sharedHealth`, and
   * `limits` without a store of their own. `responses` have at least 1,000. The option of the same name of `responseCache` and
   * `idempotency` precedes it. Default 50; of limits, cached responses and idempotency keys in memory that workers share, 500.
   */
  readonly storeTimeoutMs?: number | undefined
  /**
   * Reads the time and sets timers, such as the virtual clock of a simulation. Default: the system clock. Limits, ledgers and
   * authenticators that you create have a `clock` of their own.
   */
  readonly clock?: Clock | undefined
  /** Returns milliseconds since 1970. Default: that of `clock`. */
  readonly now?: (() => number) | undefined
  /**
   * Returns 32 random hexadecimal digits. Default: from `crypto.getRandomValues`, which also replaces an id that is not
   * printable ASCII of at most 100 characters.
   */
  readonly generateId?: (() => string) | undefined
  /** Returns a number from 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

export const defaultRequestLimits: RequestLimits = {
  maxBytes: 26_214_400,
  maxDepth: 64,
  maxElements: 100_000,
  maxMembers: 10_000,
  deadlineMs: 30_000,
  minBytesPerSecond: 256,
  minRateGraceMs: 5_000,
  maxUploads: 4,
  uploadGraceMs: 1_000,
  maxUploadBytes: 67_108_864,
  maxTotalUploadBytes: 536_870_912,
}
export const defaultTimeouts: Timeouts = {
  policyMs: 1_000,
  connectMs: 5_000,
  queueMs: 1_000,
  firstByteMs: 60_000,
  responseMs: 600_000,
  idleMs: 120_000,
  totalMs: 600_000,
}
export const defaultPacing: StreamPacing = { keepAliveMs: 15_000, holdMs: 250 }
export const defaultAbandonedCalls: AbandonedCallOptions = {
  charge: 'reservation',
  outputTokensPerSecond: 100,
  maxOutputTokens: 4_096,
}

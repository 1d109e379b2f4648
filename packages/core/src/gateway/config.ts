import type { Idempotency } from '../caching/idempotency.ts'
import type { ResponseCache } from '../caching/response-cache.ts'
import type { Authenticator } from '../contracts/authenticator.ts'
import type { Authorizer } from '../contracts/authorizer.ts'
import type { Observer } from '../contracts/events.ts'
import type { Ledger } from '../contracts/ledger.ts'
import type { Limiter } from '../contracts/limiter.ts'
import type { LoadShedder } from '../contracts/load-shedder.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import type { UnsupportedParameters } from '../contracts/provider.ts'
import type { Route } from '../contracts/route.ts'
import type { SharedHealth } from '../contracts/shared-health.ts'
import type { Tracer } from '../contracts/tracer.ts'
import type { Transport } from '../contracts/transport.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import type { Timeouts } from '../upstream/deadlines.ts'
import type { BreakerOptions, RetryOptions } from '../upstream/health/health-options.ts'
import type { AbandonedCallOptions } from '../usage/abandoned-calls.ts'
import type { Prices } from '../usage/prices.ts'

/** When parts of a streamed response are sent. */
export interface StreamPacing {
  /**
   * Interval of keep-alive comments, in milliseconds: one is sent when nothing else was for so long. Default 15,000.
   *
   * It also bounds the wait for the response head: the head is sent this long after the call of the last target, or this
   * long after the head of an upstream while another target could still be called.
   */
  readonly keepAliveMs: number
  /**
   * How long to hold the response head after that of the upstream, in milliseconds, unless content arrives first. An error
   * within this time still gets an error status. While another target could be called, `keepAliveMs` applies instead.
   * Default 250.
   */
  readonly holdMs: number
}

/** Options of `createGateway`. `authenticate` and `route` are required. `Model` are the names of the route's models. */
export interface GatewayOptions<Host = unknown, Model extends string = string> {
  /** Identifies callers, such as `apiKeys([...])`. */
  readonly authenticate: Authenticator<Host>
  /** Selects the targets of a request, usually `models({...})`. */
  readonly route: Route<Model>
  /** Decides whether a principal may use a model. Default: by the `models` of the principal. */
  readonly authorize?: Authorizer
  /**
   * Rate limits and budgets. Rules such as `[requests(60).per('minute'), concurrent(5)]` count in this process;
   * `limits(rules, { store })` counts across processes. Or your own `Limiter`. Default: only the `limits` of principals.
   */
  readonly limits?: Limiter | LimitRuleData | readonly LimitRuleData[]
  /** Prices of models: `priceTable({...})`. Without it no request has a cost. */
  readonly prices?: Prices
  /** What to charge for upstream calls that were aborted before any content arrived. Default: the reserved amount. */
  readonly abandonedCalls?: Partial<AbandonedCallOptions>
  /** Records each admitted request with its usage and cost. Default: none. */
  readonly ledger?: Ledger
  /** Caches responses: `responseCache({ ttlMs: 60_000 })`. Default: no caching. */
  readonly cache?: ResponseCache
  /**
   * Executes requests with the same `Idempotency-Key` header only once: `idempotency()`. Default: the header is ignored.
   */
  readonly idempotency?: Idempotency
  /**
   * Rejects requests with a 503 under overload: `inFlightCap(500)`, or `loadShedding()` of `@sluice/node`. Called before
   * anything else, and again after a body that took time to arrive. Default: none.
   */
  readonly loadShedder?: LoadShedder
  /** Called with each event: start and end of chat completions, failed and discarded calls, changes of targets and stores, warnings. */
  readonly observe?: Observer
  /** Creates spans for requests and upstream calls: `openTelemetry().tracer`. Default: none. */
  readonly tracer?: Tracer
  /**
   * Whether responses have the header `x-sluice-trace`. It reveals how the request was routed: the targets, by the names of
   * their providers and upstream models, why some were skipped, and the attempts. A function decides per principal. Default
   * `false`.
   */
  readonly traceHeader?: boolean | ((principal: Principal) => boolean)
  /**
   * Request header with the client's own request id, such as `'x-correlation-id'`; `true` means `x-request-id`. An id of 1 to
   * 128 characters of `A-Z a-z 0-9 . _ : / + = @ -` appears in events, and in the response as `x-client-request-id`. Any other
   * is ignored. The gateway still uses its own id for limits and the ledger. Default `false`.
   */
  readonly clientRequestId?: boolean | string
  /**
   * Sends requests to vendors. Default: undici on Node, `fetch` elsewhere. The gateway does not close a transport that you
   * pass, so several gateways can share it.
   */
  readonly transport?: Transport
  /** Base path of the endpoints. Default `/v1`. */
  readonly basePath?: string
  /** `schema` (default) checks types and ranges; `live` adds the rules that hosted services enforce. */
  readonly validation?: 'schema' | 'live'
  /** Whether to pass unknown top-level fields to the vendor or to reject them with a 400. Default `pass`. */
  readonly unknownParameters?: 'pass' | 'reject'
  /**
   * How to handle a parameter that the vendor does not support and that would change the response. `refuse` (default): a 400.
   * `drop`: omit it, and report that in the header `x-sluice-adjustments`.
   */
  readonly unsupportedParameters?: UnsupportedParameters
  /** Limits on the size, depth and upload rate of request bodies. */
  readonly requestLimits?: Partial<RequestLimits>
  /** Timeouts of your functions and of upstream calls, in milliseconds. */
  readonly timeouts?: Partial<Timeouts>
  /** Keep-alive comments and buffering of streamed responses. */
  readonly stream?: Partial<StreamPacing>
  /** Maximum number of upstream calls per request, over all targets. Default 3. */
  readonly maxAttempts?: number
  /** Retries of the same target. `false`: none, but fallbacks to other targets still happen. */
  readonly retry?: Partial<RetryOptions> | false
  /** When to stop calling a target that fails. `false`: never, not even if it asks for a pause. */
  readonly breaker?: Partial<BreakerOptions> | false
  /**
   * Shares the state of circuit breakers between processes, such as `redisHealth(client)`. Targets are identified by provider
   * name and model. Default: each process has its own state.
   */
  readonly sharedHealth?: SharedHealth
  /** Returns the time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
  /**
   * Returns a unique id: 32 random hexadecimal digits. The default uses `crypto.getRandomValues`, and also replaces an id that
   * is not printable ASCII of at most 100 characters.
   */
  readonly generateId?: () => string
  /** Returns a number from 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: () => number
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
export const defaultRetry: RetryOptions = {
  baseMs: 250,
  maxMs: 8_000,
  maxRetryAfterMs: 10_000,
  budget: 0.2,
  minBudget: 3,
}
export const defaultBreaker: BreakerOptions = {
  failures: 5,
  errorRate: 0.5,
  minCalls: 20,
  windowMs: 30_000,
  openMs: 30_000,
  maxOpenMs: 300_000,
}

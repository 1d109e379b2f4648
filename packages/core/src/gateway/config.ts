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

/** How a streamed answer is paced. */
export interface StreamPacing {
  /**
   * A comment is sent when nothing else was for so long, in milliseconds. The head of an answer that has not begun is
   * sent so long after the last target was asked that can be. While another could be, a silent one may still be given up
   * for it, and the head is sent so long after the upstream's own. Default 15,000.
   */
  readonly keepAliveMs: number
  /**
   * How long after the upstream's head its first content is awaited before the answer's own head is sent, so
   * that an error before it is still a real status. While another target could be asked, it is awaited for `keepAliveMs`.
   * Default 250 milliseconds.
   */
  readonly holdMs: number
}

/** What a gateway is made of. `authenticate` and `route` are required. `Model` are the names of the route's models. */
export interface GatewayOptions<Host = unknown, Model extends string = string> {
  /** Who is asking. */
  readonly authenticate: Authenticator<Host>
  /** Where a request can be answered: usually `models({...})`. */
  readonly route: Route<Model>
  /** Whether a principal may use a model. Default: as the principal's `models` say. */
  readonly authorize?: Authorizer
  /**
   * Whether there is room: rules, such as `[requests(60).per('minute'), concurrent(5)]`, counted in this process; or
   * `limits(rules, { store })` for rules that hold across processes, or a limiter of your own. Default: no rules but those
   * of the principals.
   */
  readonly limits?: Limiter | LimitRuleData | readonly LimitRuleData[]
  /** What the use of a model costs: `priceTable({...})`. Without it nothing has a price. */
  readonly prices?: Prices
  /** What calls are charged whose answers were cut off before any of them came. Default: what was reserved for them. */
  readonly abandonedCalls?: Partial<AbandonedCallOptions>
  /** Keeps a record of each request that is let in. Default: none. */
  readonly ledger?: Ledger
  /** Gives finished answers again to the same requests: `responseCache({ ttlMs: 60_000 })`. Default: none are kept. */
  readonly cache?: ResponseCache
  /**
   * Answers a request with an `Idempotency-Key` once, however often it is sent: `idempotency()`. Default: the header is
   * not read.
   */
  readonly idempotency?: Idempotency
  /**
   * Whether the service has room for one more, asked before anything else: `inFlightCap(500)`, or `loadShedding()` of
   * `@sluice/node`. Asked again once a body has arrived that had to be waited for. What is refused is a 503. Default:
   * there always is.
   */
  readonly loadShedder?: LoadShedder
  /** Called with each event: the begin and end of a chat completion, failed and unused calls, changes of targets and stores, warnings. */
  readonly observe?: Observer
  /** Follows requests and their upstream calls as spans: `openTelemetry().tracer`. Default: nothing does. */
  readonly tracer?: Tracer
  /**
   * Whether callers are told how their requests were routed, in the header `x-sluice-trace`: the places that could have
   * answered, by their providers' and upstream models' names, why some were not asked, and the attempts. A function
   * says so for each caller. Default: no.
   */
  readonly traceHeader?: boolean | ((principal: Principal) => boolean)
  /**
   * The request header with the caller's own id for a request, such as `'x-correlation-id'`; `true`: `x-request-id`. An id of
   * 1 to 128 characters of `A-Z a-z 0-9 . _ : / + = @ -` is in the events, and comes back in the response as
   * `x-client-request-id`. Any other is ignored. It identifies nothing: holds, leases and ledger entries are known by the
   * gateway's own id. Default: none is read.
   */
  readonly clientRequestId?: boolean | string
  /**
   * Carries bytes to the vendors. Default: undici on Node, `fetch` elsewhere. One of your own may serve several
   * gateways: closing it is yours.
   */
  readonly transport?: Transport
  /** Path of the service. Default `/v1`. */
  readonly basePath?: string
  /** `schema` (default) checks types and ranges; `live` adds the rules that hosted services enforce. */
  readonly validation?: 'schema' | 'live'
  /** What becomes of top-level fields that the protocol does not know. Default `pass`. */
  readonly unknownParameters?: 'pass' | 'reject'
  /**
   * What becomes of a parameter that the answering vendor lacks and that changes the answer: a 400 (`refuse`,
   * default), or it is left out and told of (`drop`).
   */
  readonly unsupportedParameters?: UnsupportedParameters
  readonly requestLimits?: Partial<RequestLimits>
  readonly timeouts?: Partial<Timeouts>
  readonly stream?: Partial<StreamPacing>
  /** How many upstream calls one request may make, over all its targets. Default 3. */
  readonly maxAttempts?: number
  /** How a request is sent again to a target that failed; `false`: never, though other targets are asked. */
  readonly retry?: Partial<RetryOptions> | false
  /** When a target that fails is left alone; `false`: never, also where it asks for a pause. */
  readonly breaker?: Partial<BreakerOptions> | false
  /**
   * Where processes tell each other which targets are left alone, such as `redisHealth(client)`; they know a target by
   * its provider's name and its model. Default: each process finds out by itself.
   */
  readonly sharedHealth?: SharedHealth
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
  /**
   * 32 fresh random hexadecimal digits. Default from `crypto.getRandomValues`, also in the place of an id that is no
   * printable ASCII of at most 100 characters.
   */
  readonly generateId?: () => string
  /** A number from 0 up to, but not including, 1. Default `Math.random`. */
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

import { defaultTransport } from '#transport'
import { type Clock, systemClock } from '../clock/clock.ts'
import type { Authenticator } from '../contracts/authenticator.ts'
import type { Authorizer } from '../contracts/authorizer.ts'
import type { BodyRecorder } from '../contracts/body-recorder.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Observer } from '../contracts/events.ts'
import type { Ledger } from '../contracts/ledger.ts'
import type { LimitStore } from '../contracts/limit-store.ts'
import type { Limiter } from '../contracts/limiter.ts'
import type { LoadShedder } from '../contracts/load-shedder.ts'
import type { Principal } from '../contracts/principal.ts'
import type { ResponseStore } from '../contracts/response-store.ts'
import type { Route, UnknownModel } from '../contracts/route.ts'
import type { Transport } from '../contracts/transport.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Hooks } from '../hooks/hooks.ts'
import { endpointFinder, type FindEndpoint } from '../http/endpoint.ts'
import { clientRequestIdHeader } from '../http/fetch-arguments.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { ListedNames } from '../observability/listed-names.ts'
import { safeObserver } from '../observability/observers.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { withDefaults } from '../primitives/with-defaults.ts'
import { memoryLimitStore } from '../rate-limiting/memory-limit-store.ts'
import { unknownModel } from '../routing/unknown-model.ts'
import { memoryResponseStore } from '../stores/memory-response-store.ts'
import { StoreBreakers, type UsedBreakers } from '../stores/store-breakers.ts'
import type { CallDependencies } from '../upstream/call-context.ts'
import { defaultBreaker, defaultRetry, type HealthSettings } from '../upstream/health/health-options.ts'
import { healthRegistry, type ReloadableHealthRegistry } from '../upstream/health/health-registry.ts'
import type { AbandonedCallOptions } from '../usage/abandoned-calls.ts'
import type { Prices } from '../usage/prices.ts'
import { estimateTokens } from '../usage/reservation.ts'
import { type BackgroundOptions, backgroundOf } from './background-options.ts'
import { BackgroundRuns } from './background-runs.ts'
import { builtInDialects } from './built-in-dialects.ts'
import { type CacheLookups, createCacheLookups } from './cache-options.ts'
import {
  defaultAbandonedCalls,
  defaultPacing,
  defaultRequestLimits,
  defaultTimeouts,
  type GatewayOptions,
  type StreamPacing,
} from './config.ts'
import {
  guardBodyRecorder,
  guardCostChoice,
  guardId,
  guardLedger,
  guardNow,
  guardPrices,
  guardRandom,
  guardShedder,
  guardTraceChoice,
  guardTracer,
  type TraceStart,
} from './guard-callbacks.ts'
import { configuredRuleIssues, guardPolicies, principalLimitIssues } from './guard-policies.ts'
import { ResponseState } from './response-state.ts'
import { StoredReads } from './stored-reads.ts'
import { optionIssuesOf } from './validate-options.ts'
import type { ValidationRules } from './validate-request.ts'

/** Options with everything filled in. */
export interface ResolvedOptions<Host> extends CacheLookups {
  /** A copy of the options: the user may change and reuse the object. */
  readonly given: GatewayOptions<Host>
  readonly authenticate: Authenticator<Host>
  readonly route: Route
  readonly listed: ListedNames
  readonly authorize: Authorizer
  readonly unknownModel: UnknownModel
  readonly limiter: Limiter
  /** Never throws, and returns no invalid price. */
  readonly prices: Prices
  readonly abandonedCalls: AbandonedCallOptions
  readonly ledger: Ledger | undefined
  /** What is stored of responses; `undefined`: nothing. */
  readonly responses: ResponseState | undefined
  /** The bounds of responses that run in the background; `undefined`: none does. */
  readonly background: BackgroundOptions | undefined
  /** The responses that run in the background. Outlives the options. */
  readonly backgroundRuns: BackgroundRuns
  /** When principals may read stored responses. Outlives the options. */
  readonly storedReads: StoredReads
  /** The store of responses without a store of the operator. Outlives the options. */
  readonly ownResponses: ResponseStore
  /** Records bodies. Never throws. */
  readonly bodies: BodyRecorder | undefined
  /** `undefined`: there are none. */
  readonly hooks: Hooks | undefined
  /** Never throws. */
  readonly observe: Observer
  /** Never throws. */
  readonly loadShedder: LoadShedder | undefined
  /** Whether a principal's responses have a trace. Never throws. */
  readonly exposesTrace: ((principal: Principal) => boolean) | undefined
  readonly metadataTags: readonly string[]
  /** Whether a principal's answers have their cost. Never throws. */
  readonly exposesCost: ((principal: Principal) => boolean) | undefined
  /** The header with the caller's own id, in lower case; `undefined`: none is read. */
  readonly clientRequestIdHeader: string | undefined
  /** Starts the span of a request. Never throws. */
  readonly startTrace: TraceStart | undefined
  readonly basePath: string
  /** The protocols that are served, each at its own path. */
  readonly dialects: readonly Dialect[]
  readonly findEndpoint: FindEndpoint
  readonly rules: ValidationRules
  readonly requestLimits: RequestLimits
  readonly stream: StreamPacing
  readonly call: CallDependencies
  /** Outlives the options; `follow` gives it new ones. */
  readonly healthRegistry: ReloadableHealthRegistry
  /** The store of rules without a store of their own. Outlives the options. */
  readonly counts: LimitStore
  /** The circuit breakers of caches and of stored responses. Outlive the options. */
  readonly storeBreakers: StoreBreakers
  /** Those of these options. */
  readonly usedBreakers: UsedBreakers
  readonly health: HealthSettings
  /** The transport that the gateway created and has to close. */
  readonly ownTransport: Transport | undefined
  readonly clock: Clock
  readonly generateId: () => string
  readonly random: () => number
}

/**
 * Fills in defaults. Throws `ConfigurationError` naming every invalid option.
 *
 * @param earlier - the options that these replace: health, counts and breakers are taken over. The health still has its settings.
 */
export function resolveOptions<Host>(
  given: GatewayOptions<Host>,
  earlier?: Pick<
    ResolvedOptions<Host>,
    'healthRegistry' | 'counts' | 'ownResponses' | 'backgroundRuns' | 'storeBreakers' | 'storedReads'
  >,
): ResolvedOptions<Host> {
  const options = ownMembers(given)
  const issues = [...optionIssuesOf(given), ...configuredRuleIssues(options)]
  if (issues.length === 0) issues.push(...principalLimitIssues(options))
  if (issues.length > 0) throw new ConfigurationError('createGateway()', issues)
  const basePath = options.basePath ?? '/v1'
  const dialects = [...builtInDialects, ...(options.dialects ?? [])]
  const timeouts = withDefaults(defaultTimeouts, options.timeouts)
  const stream = withDefaults(defaultPacing, options.stream)
  const observe = safeObserver(options.observe)
  const clock = clockOf(options)
  // A gateway on a clock of its own counts and stores by it.
  const ownClock = options.clock !== undefined
  const random = guardRandom(options.random)
  const breaker = options.breaker === false ? undefined : withDefaults(defaultBreaker, options.breaker)
  const retry = options.retry === false ? undefined : withDefaults(defaultRetry, options.retry)
  const requestLimits = withDefaults(defaultRequestLimits, options.requestLimits)
  const counts = earlier?.counts ?? memoryLimitStore(ownClock ? { now: clock.now } : {})
  const policies = guardPolicies(options, timeouts.policyMs, clock, counts)
  const listed = new ListedNames(policies.route)
  const health: HealthSettings = {
    breaker,
    retry,
    random,
    clock,
    shared: options.sharedHealth,
    ...(options.storeTimeoutMs !== undefined && { storeTimeoutMs: options.storeTimeoutMs }),
    changed: event => observe(event.type === 'store' ? event : listed.mark(event)),
  }
  const registry = earlier?.healthRegistry ?? healthRegistry(health)
  const ownResponses = earlier?.ownResponses ?? memoryResponseStore(ownClock ? { now: clock.monotonic } : {})
  const responseStore = options.responses ?? ownResponses
  const background = backgroundOf(options as GatewayOptions)
  const backgroundRuns = earlier?.backgroundRuns ?? new BackgroundRuns()
  const storedReads = earlier?.storedReads ?? new StoredReads(clock, random)
  const storeBreakers = earlier?.storeBreakers ?? new StoreBreakers()
  const usedBreakers = storeBreakers.use(observe, clock)
  const recalled = createCacheLookups(options, usedBreakers, clock, timeouts.policyMs)
  // Last, so that invalid options create nothing that must be closed.
  const ownTransport =
    options.transport === undefined ? defaultTransport({ connectMs: timeouts.connectMs }) : undefined
  return {
    given: options,
    ...policies,
    ...recalled,
    listed,
    unknownModel: (model, principal) => unknownModel(model, principal, policies.route, policies.authorize),
    prices: guardPrices(options.prices),
    abandonedCalls: withDefaults(defaultAbandonedCalls, options.abandonedCalls),
    ledger: guardLedger(options.ledger, timeouts.policyMs, observe, clock),
    responses:
      responseStore === false
        ? undefined
        : new ResponseState(
            responseStore,
            requestLimits.maxBytes,
            options.storeTimeoutMs,
            usedBreakers,
            clock,
            storedReads,
            backgroundRuns,
          ),
    background,
    backgroundRuns,
    storedReads,
    ownResponses,
    hooks: options.hooks?.length ? new Hooks(options.hooks, observe, clock) : undefined,
    bodies: guardBodyRecorder(options.bodies, observe),
    observe,
    loadShedder: guardShedder(options.loadShedder, observe),
    exposesTrace: guardTraceChoice(options.traceHeader, observe),
    metadataTags: [...(options.metadataTags ?? [])],
    exposesCost: guardCostChoice(options.exposesCost, observe),
    clientRequestIdHeader: clientRequestIdHeader(options.clientRequestId),
    startTrace: guardTracer(options.tracer, observe),
    basePath,
    dialects,
    findEndpoint: endpointFinder(basePath, dialects),
    rules: {
      profile: options.validation ?? 'schema',
      unknownParameters: options.unknownParameters ?? 'pass',
      runsInBackground: background !== undefined,
      unsupportedParameters: options.unsupportedParameters ?? 'refuse',
      boundsAll: policies.limiter?.appliesToAll === true || options.authorize !== undefined,
      estimateTokens,
    },
    requestLimits,
    stream,
    call: {
      transport: options.transport ?? ownTransport!,
      timeouts,
      clock,
      maxAttempts: options.maxAttempts ?? 3,
      holdMs: stream.holdMs,
      keepAliveMs: stream.keepAliveMs,
      unsupportedParameters: options.unsupportedParameters ?? 'refuse',
      health: registry,
      retry,
    },
    healthRegistry: registry,
    counts,
    storeBreakers,
    usedBreakers,
    health,
    ownTransport,
    clock,
    generateId: guardId(options.generateId),
    random,
  }
}

function clockOf({ clock, now }: Pick<GatewayOptions, 'clock' | 'now'>): Clock {
  if (clock === undefined) return { ...systemClock, now: guardNow(now, systemClock) }
  // Not spread: it may be an instance of a class.
  const given: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer: (ms, run) => clock.setTimer(ms, run),
  }
  return { ...given, now: guardNow(now, given) }
}

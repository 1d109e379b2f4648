import {
  type Authenticator,
  apiKeys,
  type CacheStore,
  firstOf,
  type GatewayOptions,
  idempotency,
  inFlightCap,
  type LimitStore,
  type LimitsOptions,
  limits,
  type Observer,
  type Prices,
  type Principal,
  type ResponseStore,
  responseCache,
  type SharedHealth,
} from '@sluice/core'
import type { Database } from '@sluice/core/store'
import type { CompiledConfig } from './compiled-config.ts'
import type { TypedConfig } from './config.ts'
import { databaseTimeoutMs } from './database-timeout.ts'

/** The default timeout of a lookup of `apiKeys`, in milliseconds. */
const keyLookupMs = 250

type ConsoleCaller = (request: Request) => Principal | undefined

/** What outlives one configuration: stores and observers. */
export interface Foundation {
  readonly database: Database | undefined
  /** Where limits are counted; `undefined` for this process. */
  readonly limitStore: LimitStore | undefined
  /** Where answers are kept, of the cache and of idempotency keys. */
  readonly cacheStore: CacheStore
  readonly health: SharedHealth | undefined
  /** Where responses are stored; `false`: nowhere. Default: in the gateway's own memory. */
  readonly responses?: ResponseStore | false | undefined
  /** Prices from elsewhere, with those of the configuration. */
  readonly prices: Prices | undefined
  readonly observe: Observer | undefined
  /** Knows the requests of the console's own chat; `undefined` where there is none. */
  readonly consoleCaller?: ConsoleCaller | undefined
  /** The clock and the ids of limits, where they are not those of the system. */
  readonly limitSources?: Pick<LimitsOptions, 'clock' | 'generateId'> | undefined
  /** Options that services add, such as a tracer. */
  readonly further?: Partial<GatewayOptions>
}

/** The options of a gateway that a configuration means. */
export function gatewayOptions(compiled: CompiledConfig, foundation: Foundation): GatewayOptions {
  const { config } = compiled
  const { database, health, cacheStore, observe, responses } = foundation
  const prices = foundation.prices ?? compiled.prices
  bindTargetLimits(compiled, foundation)
  return {
    ...scalars(config),
    route: compiled.route,
    ...limit(config, foundation),
    ...(compiled.hooks.length > 0 && { hooks: compiled.hooks }),
    ...(prices !== undefined && { prices }),
    ...(database !== undefined && { ledger: database.ledger }),
    ...(health !== undefined && { sharedHealth: health }),
    ...(config.cache !== undefined && { cache: responseCache({ ...config.cache, store: cacheStore }) }),
    ...(responses !== undefined && { responses }),
    ...(config.idempotency === true && { idempotency: idempotency({ store: cacheStore }) }),
    ...(observe !== undefined && { observe }),
    ...foundation.further,
    ...config.gateway,
    authenticate: withConsole(
      config.gateway?.authenticate ?? authenticator(compiled, foundation),
      foundation.consoleCaller,
    ),
  }
}

/** The console comes first: what an authenticator of the user's own makes of a request without a key is its own affair. */
function withConsole(callers: Authenticator, consoleCaller: ConsoleCaller | undefined): Authenticator {
  if (consoleCaller === undefined) return callers
  return (request, host) => consoleCaller(request) ?? callers(request, host)
}

/** Returns the options that a configuration contains unchanged. */
export function scalars(config: TypedConfig): Partial<GatewayOptions> {
  const { validation, unknownParameters, unsupportedParameters, traceHeader, maxAttempts } = config
  const { requestLimits, timeouts, stream, retry, breaker, server, state, maxInFlight, abandonedCalls } =
    config
  const given = { validation, unknownParameters, unsupportedParameters, traceHeader, maxAttempts }
  const more = {
    clientRequestId: config.clientRequestId,
    exposesCost: config.exposesCost,
    metadataTags: config.metadataTags,
    requestLimits,
    timeouts,
    stream,
    retry,
    breaker,
    abandonedCalls,
    basePath: server?.basePath,
    storeTimeoutMs: state?.storeTimeoutMs,
  }
  const loadShedder = maxInFlight === undefined ? undefined : inFlightCap(maxInFlight)
  const set = Object.entries({ ...given, ...more, loadShedder }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set)
}

function authenticator(
  { config, callers }: CompiledConfig,
  { database, observe }: Foundation,
): Authenticator {
  const lookupMs = databaseTimeoutMs(config.state, keyLookupMs)
  const options = { lookupMs, ...(observe !== undefined && { observe }) }
  const issued = database === undefined ? [] : [apiKeys(database.keys, options)]
  const [first, ...others] = [...callers, ...issued]
  // Where nobody is named, an option of the user's own takes its place.
  if (first === undefined) return () => undefined
  return others.length === 0 ? first : firstOf(first, ...others)
}

/** Without a store, limits of targets are counted in memory, and from the start with each configuration. */
function bindTargetLimits({ config, targetLimits }: CompiledConfig, foundation: Foundation): void {
  const { limitStore: store, limitSources } = foundation
  if (store === undefined && limitSources === undefined && config.state?.storeTimeoutMs === undefined) return
  targetLimits.bind(rules =>
    limits(rules, { ...(store !== undefined && { store }), ...limitOptions(config, foundation) }),
  )
}

function limitOptions({ state }: TypedConfig, { observe, limitSources }: Foundation): LimitsOptions {
  return {
    ...limitSources,
    ...(state?.instances !== undefined && { instances: state.instances }),
    ...(state?.storeTimeoutMs !== undefined && { storeTimeoutMs: state.storeTimeoutMs }),
    ...(observe !== undefined && { observe }),
  }
}

/** Rules without a store are the gateway's, which keeps their counts when others take their place. */
function limit(config: TypedConfig, foundation: Foundation): Pick<GatewayOptions, 'limits'> {
  const { limits: rules = [] } = config
  const { limitStore: store } = foundation
  return {
    limits: store === undefined ? rules : limits(rules, { store, ...limitOptions(config, foundation) }),
  }
}

import type { AlertsOptions } from '@sluice/alerts'
import type {
  AbandonedCallOptions,
  BreakerOptions,
  CallOptions,
  FailureSpec,
  GatewayOptions,
  Hook,
  LimitRuleData,
  ModelPrice,
  Observer,
  RequestLimits,
  RetryOptions,
  Route,
  StreamPacing,
  Target,
  Timeouts,
} from '@sluice/core'
import type {
  RedactedPattern,
  RedactOptions,
  RequireJsonOptions,
  SystemPromptOptions,
  WebhookOptions,
} from '@sluice/hooks'
import type { ApiKeys } from '@sluice/providers'

/**
 * A configuration as plain data: the content of a file in TypeScript, JSON or YAML. Every string can use environment variables:
 * `${NAME}`, or `${NAME:-text}` with a default.
 */
export interface Config {
  /** URL of the JSON Schema, for editors. */
  readonly $schema?: string
  readonly server?: ServerConfig
  /** Providers by the names that routes use. A name such as `openai` needs no `type`. */
  readonly providers?: Readonly<Record<string, ProviderConfig | ProviderFunction>>
  /**
   * The models that callers can request, each with its route. A name with a `*` matches all names of that form; a `*` in
   * its targets is replaced by the matched text: `'fast/*': ['groq/*', 'cerebras/*']`.
   */
  readonly models: Readonly<Record<string, RouteConfig>>
  /** Callers with keys in this configuration, in addition to those with keys of `sluice keys`. */
  readonly keys?: readonly KeyConfig[]
  /** Callers with tokens of an identity provider. */
  readonly jwt?: JwtConfig
  /** Limits for all callers. */
  readonly limits?: readonly LimitRuleData[]
  /**
   * US dollars per million tokens, by model or `provider/model`: they take precedence over the bundled prices. `genai-prices`
   * replaces the bundled prices by those of that package, if it is installed. `false`: nothing has a price.
   */
  readonly prices?: Readonly<Record<string, ModelPrice>> | 'genai-prices' | false
  /** The bundled prices of known models. `false`: only `prices` apply. */
  readonly bundledPrices?: BundledPricesConfig | false
  /** How to charge upstream calls that are cancelled before any content. Default: their reservation. */
  readonly abandonedCalls?: Partial<AbandonedCallOptions>
  readonly state?: StateConfig
  /** Caches complete responses for identical requests. Default: no cache. */
  readonly cache?: { readonly ttlMs: number; readonly maxBytes?: number }
  /**
   * Where responses of the Responses API are stored for the requests that continue them. `false`: nowhere. Default: in Redis if
   * `state` has one, else in its database, else in memory.
   */
  readonly responses?: ResponsesConfig | false
  /** Whether to replay responses for requests with the same `Idempotency-Key`. Default: no. */
  readonly idempotency?: boolean
  /** Hooks that read, change or refuse requests and responses, in their order. Default: none. */
  readonly hooks?: readonly HookConfig[]
  readonly telemetry?: TelemetryConfig
  /** The request log in the database of `state`: one row per request. Default: off. */
  readonly log?: LogConfig | false
  /** Alerts by webhook. Default: none. */
  readonly alerts?: AlertsConfig
  /** The web console at `/console/`. Default: off. */
  readonly console?: ConsoleConfig | false
  readonly validation?: GatewayOptions['validation']
  readonly unknownParameters?: GatewayOptions['unknownParameters']
  readonly unsupportedParameters?: GatewayOptions['unsupportedParameters']
  readonly traceHeader?: boolean
  /** Names of the `metadata` of requests that the ledger stores as tags: `feature` is the tag `metadata.feature`. Default: none. */
  readonly metadataTags?: readonly string[]
  /** Whether answers have their cost: `usage.cost`, and the header `x-sluice-cost`. Default: no. */
  readonly exposesCost?: boolean
  readonly clientRequestId?: GatewayOptions['clientRequestId']
  readonly maxAttempts?: number
  /** Maximum number of requests in flight. More are rejected with 503. Default: no maximum. */
  readonly maxInFlight?: number
  readonly requestLimits?: Partial<RequestLimits>
  readonly timeouts?: Partial<Timeouts>
  readonly stream?: Partial<StreamPacing>
  readonly retry?: Partial<RetryOptions> | false
  readonly breaker?: Partial<BreakerOptions> | false
}

/** The bundled prices of known models. */
export interface BundledPricesConfig {
  /** Where newer prices come from. Default: the bundled ones only. */
  readonly refresh?: PriceRefreshConfig
  /** How old the prices may be before a warning, in days. Default 90. `false`: no warning. */
  readonly warnAfterDays?: number | false
  /** The vendors of providers, where their type does not say it: `{ mine: 'openai' }`. */
  readonly providers?: Readonly<Record<string, string>>
  /** The vendors' names of models that have names of your own, such as deployments. */
  readonly models?: Readonly<Record<string, string>>
}

export interface PriceRefreshConfig {
  /** A URL, or the path of a file, with prices in the format of `@pydantic/genai-prices`. */
  readonly from: string
  /** How often they are loaded, in milliseconds. Default a day. */
  readonly intervalMs?: number
  readonly timeoutMs?: number
}

/** The HTTP server. */
export interface ServerConfig {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Port to listen on. Default 8787. */
  readonly port?: number
  /** Path of the API: `/chat/completions` and `/models` are below it. Default `/v1`. */
  readonly basePath?: string
  /** Allowed CORS origins, or `*` for all. Default: none. */
  readonly cors?: readonly string[] | '*'
  /**
   * Host names by which the service may be called, in addition to loopback and its own address. Any other is a 403.
   * Default: any; with `sluice dev` none.
   */
  readonly allowedHosts?: readonly string[]
  /** Whether to trust `x-forwarded-*` headers of a proxy. Default: no. */
  readonly trustProxy?: boolean
  /** How long running requests may take to finish after a stop signal, in milliseconds. Default 30,000. */
  readonly drainMs?: number
  readonly shutdownDelayMs?: number
  /** Number of processes that accept requests, or `auto` for one per available core. Default 1. */
  readonly workers?: number | 'auto'
}

/** A provider: its type, and the options of its function in `@sluice/providers`. */
export interface ProviderConfig {
  /** A vendor of `@sluice/providers`: `openai`, `anthropic`, `groq`, `openai-compatible`. Default: the provider's name. */
  readonly type?: string
  readonly apiKey?: ApiKeys
  readonly baseURL?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly maxConcurrent?: number
  readonly [option: string]: unknown
}

/** In TypeScript: a configured provider, such as `openai({ apiKey })`, or a function of your own. */
export type ProviderFunction = (model: string) => Target

/**
 * The targets of a model: a target (`openai/gpt-4o`), the name of another model, a list for fallback in order, or a routing
 * strategy (`RouteChoice`). The name of another model takes precedence over a target; in a target, the text before the
 * first `/` is the provider. In TypeScript it may be any entry of `models()` of `@sluice/core` too. `Text` are the allowed
 * names.
 */
export type RouteConfig<Text extends string = string> =
  | Text
  | readonly RouteConfig<Text>[]
  | RouteChoice<Text>
  | Target
  | Route<string, Text>

/** A routing strategy, as the function of the same name of `@sluice/core`; or a target with settings (`to`). */
export type RouteChoice<Text extends string = string> =
  | { readonly fallback: readonly RouteConfig<Text>[]; readonly on?: readonly FailureSpec[] }
  | { readonly weighted: readonly { readonly to: RouteConfig<Text>; readonly weight: number }[] }
  | { readonly fastest: readonly RouteConfig<Text>[] }
  | { readonly leastBusy: readonly RouteConfig<Text>[] }
  | { readonly roundRobin: readonly RouteConfig<Text>[] }
  | { readonly cheapest: readonly RouteConfig<Text>[]; readonly outputTokens?: number }
  | { readonly byContextLength: readonly RouteConfig<Text>[] }
  | {
      readonly sticky: readonly (
        | RouteConfig<Text>
        | { readonly to: RouteConfig<Text>; readonly weight: number }
      )[]
      /** `key`, `user`, `prompt_cache_key`, or `tag:` and a name. */
      readonly by: string
    }
  | {
      readonly split: Readonly<Record<string, { readonly to: RouteConfig<Text>; readonly share: number }>>
      readonly by?: string
    }
  | {
      readonly hedge: readonly [RouteConfig<Text>, RouteConfig<Text>]
      readonly afterMs: number
    }
  | {
      readonly mirror: RouteConfig<Text>
      readonly shadow: RouteConfig<Text>
      readonly share?: number
    }
  | {
      readonly when: ConditionConfig
      readonly use: RouteConfig<Text>
      readonly otherwise: RouteConfig<Text>
    }
  /**
   * A target with parameters that replace those of the request, with capabilities, with allowed restricted fields, with the space of
   * its embeddings, or with timeouts, retries, a circuit breaker and limits of its own.
   */
  | {
      readonly to: Text
      readonly parameters?: Target['parameters']
      readonly capabilities?: Target['capabilities']
      readonly allowFields?: Target['allowFields']
      readonly embeddingSpace?: Target['embeddingSpace']
      readonly timeouts?: CallOptions['timeouts']
      readonly maxAttempts?: CallOptions['maxAttempts']
      readonly retry?: CallOptions['retry']
      readonly breaker?: CallOptions['breaker']
      readonly limits?: readonly LimitRuleData[]
    }

/** Conditions on a request. All members must match. */
export interface ConditionConfig {
  /** Tags of the principal and their values. */
  readonly tag?: Readonly<Record<string, string>>
  readonly promptLongerThan?: number
  readonly bodyLargerThan?: number
  readonly hasTools?: boolean
  readonly hasMedia?: boolean
  readonly modelMatches?: string | readonly string[]
  readonly anyOf?: readonly ConditionConfig[]
  readonly noneOf?: readonly ConditionConfig[]
}

/** An API key and its principal. */
export interface KeyConfig {
  /** The id of the principal: in the ledger, limits and logs. */
  readonly id: string
  /** The text of the key, best from an environment variable. Give this or `hash`. */
  readonly key?: string
  /** The digest of the key: the result of `hashApiKey`. */
  readonly hash?: string
  /** Patterns of models. Default: all. */
  readonly models?: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
  readonly limits?: readonly LimitRuleData[]
  /** Whether responses of the Responses API are stored for this caller. Default: as `responses` says. */
  readonly storeResponses?: boolean
}

/** JSON Web Tokens of an identity provider: options of `jwt` of `@sluice/jwt`. */
export interface JwtConfig {
  /** The URL of the issuer's JSON Web Key Set. Give this or `secret`. */
  readonly jwks?: string
  /** The secret that the issuer signs with, for HMAC. */
  readonly secret?: string
  readonly issuer: string
  /** The `aud` that a token must have: one, or any of several. */
  readonly audience: string | readonly string[]
}

/** Where state is kept that outlives the process, or that processes share. */
export interface StateConfig {
  /**
   * The database of keys and the ledger: `file:./sluice.db` (SQLite) or `postgres://...`. Default: `file:./sluice.db` for
   * `sluice dev`, and none for `sluice serve`.
   */
  readonly database?: string
  /**
   * The folder in which `sluice serve` keeps ledger records while PostgreSQL is unavailable. Default: they wait in memory, and
   * a crash loses them.
   */
  readonly journal?: string
  /** The Redis in which processes share limits, cached responses and the health of targets: `redis://...`. Default: none. */
  readonly redis?: string
  /** Prefix of all keys in Redis. Default `sluice`. */
  readonly prefix?: string
  /** The secret for HMAC digests of issued keys; or several by version name, newest first. */
  readonly pepper?: string | Readonly<Record<string, string>>
  /** Number of processes that share the Redis: while it is unavailable, each enforces its share of a limit. Default 4. */
  readonly instances?: number
  /**
   * Timeout of one operation in Redis, in milliseconds, from 1 to 2,000: of limits, cached responses, idempotency keys and the
   * health of targets. Where it is longer than their own, also of stored responses (1,000), and in a database of key lookups and
   * of writes of the ledger (250). Default 50; of limits, cached responses and idempotency keys that workers without Redis share,
   * 500.
   */
  readonly storeTimeoutMs?: number
}

/** Stored responses. */
export interface ResponsesConfig {
  /** Default: `redis` if `state.redis` is set, else `database` if `state.database` is set and outlives the process, else `memory`. */
  readonly store?: 'memory' | 'redis' | 'database'
  /** How long a response is stored since it was last read, in milliseconds. Default 30 days; in memory one hour. */
  readonly ttlMs?: number
  /** Maximum number of responses per principal; in memory of all principals together. Default 10,000. */
  readonly maxResponses?: number
  /** Maximum size in bytes per principal; in memory of all principals together. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number
}

/** A ready-made hook. */
export type HookConfig = RedactHookConfig | SystemPromptHookConfig | RequireJsonHookConfig | WebhookHookConfig

/** What all ready-made hooks have. */
interface HookConfigBase {
  /** Names it in traces and metrics. Needed for a second hook of one type. */
  readonly name?: string
  /** Names or patterns of the requested models that it applies to. Default: all. */
  readonly models?: readonly string[]
  /** Ids of the callers that it applies to, or patterns. Default: all. */
  readonly principals?: readonly string[]
  /** It applies to callers with all of these tags. Default: to all. */
  readonly tags?: Readonly<Record<string, string>>
  readonly onFailure?: 'closed' | 'open'
  readonly timeoutMs?: number
}

/** Replaces personal data and secrets: options of `redact` of `@sluice/hooks`. */
export interface RedactHookConfig
  extends HookConfigBase,
    Pick<RedactOptions, 'direction' | 'kinds' | 'restore' | 'placeholder'> {
  readonly type: 'redact'
  /** Further values: regular expressions as texts. */
  readonly patterns?: readonly (Omit<RedactedPattern, 'pattern'> & {
    readonly pattern: string
    readonly flags?: string
  })[]
}

/** Adds a system text to requests. */
export interface SystemPromptHookConfig extends HookConfigBase, Pick<SystemPromptOptions, 'position'> {
  readonly type: 'systemPrompt'
  readonly text: string
}

/** Refuses responses that are no JSON. */
export interface RequireJsonHookConfig
  extends HookConfigBase,
    Pick<RequireJsonOptions, 'schema' | 'retry' | 'when'> {
  readonly type: 'requireJson'
}

/** Lets an HTTP endpoint decide. */
export interface WebhookHookConfig
  extends HookConfigBase,
    Pick<WebhookOptions, 'url' | 'secret' | 'direction' | 'maxResponseBytes' | 'allowPrivateAddresses'> {
  readonly type: 'webhook'
}

/** Logs, metrics and traces. */
export interface TelemetryConfig {
  /** The request log: one line per request. Default `auto`: pretty on a terminal, JSON elsewhere. */
  readonly log?: 'auto' | 'pretty' | 'json' | 'off'
  /** Prometheus metrics at `/metrics`, for everybody, or only with `token` as a bearer token. Default: on, for everybody. */
  readonly metrics?: boolean | { readonly token: string }
  /** OpenTelemetry spans and metrics, sent to `OTEL_EXPORTER_OTLP_ENDPOINT`. Default: off. */
  readonly openTelemetry?: boolean
  /** Names of tags that become labels of metrics. Default: none. */
  readonly tagLabels?: readonly string[]
}

/** Alerts: options of `createAlerts` of `@sluice/alerts`. */
export type AlertsConfig = Pick<
  AlertsOptions,
  'webhooks' | 'budgets' | 'errorRate' | 'latency' | 'targets' | 'recoveries'
>

/** The request log: options of `createRequestLog` of `@sluice/log`. */
export interface LogConfig {
  /** Where rows are stored: `database`, that of `state`. */
  readonly store: 'database'
  /** Rows that are older are deleted. Default 30. */
  readonly maxAgeDays?: number
  /** Maximum number of rows; the oldest are deleted. Default: no maximum. */
  readonly maxRows?: number
  /** Maximum size of the rows as JSON, in bytes. Default: no maximum. */
  readonly maxBytes?: number
  /** Whether to store error messages that may quote a request. Default: no. */
  readonly errorMessages?: boolean
  /** Stores the bodies of requests and responses, encrypted. Default: none are stored. */
  readonly bodies?: BodyLogConfig | false
}

/** Stored bodies: options of `createBodyLog` of `@sluice/log`. */
export interface BodyLogConfig {
  /** The key that they are encrypted with: 32 random bytes as base64, best from an environment variable. */
  readonly key: string
  /** Earlier keys, for bodies that are stored already. Default: none. */
  readonly previousKeys?: readonly string[]
  /** Bodies that are older are deleted. */
  readonly retentionDays: number
  /** The requested models whose bodies are stored, by name or pattern. Default: all. */
  readonly models?: readonly string[]
  /** The callers whose bodies are stored, by the id of their key, or by pattern. Default: all. */
  readonly keys?: readonly string[]
  /** Maximum size of each body. A larger request is not stored, a larger response is cut. Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number
}

/** The web console. */
export interface ConsoleConfig {
  /** The key of the page: it gives access to usage and to the keys of callers. It is not an API key. */
  readonly adminKey: string
  /**
   * What the chat of the console may do without the API key of a caller. It then calls as the principal `console`. `false`: the
   * chat needs the key of a caller.
   */
  readonly chat?: ConsoleChatConfig | false
  /** Whether callers may ask for their own usage, with their own keys, at `/console/api/own-usage`. Default: no. */
  readonly ownUsage?: boolean
}

/** What the principal `console` may do. */
export interface ConsoleChatConfig {
  /** Patterns of models. Default: all. */
  readonly models?: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
  /** Default: 60 requests a minute, and 1 US dollar a day that does not count models without a price. */
  readonly limits?: readonly LimitRuleData[]
}

/** A configuration in TypeScript or JavaScript: a `Config` that can also have functions. */
export interface TypedConfig extends Omit<Config, 'hooks'> {
  /** Ready-made hooks, and hooks of your own. */
  readonly hooks?: readonly (HookConfig | Hook)[]
  /** Receives the events of the gateway, in addition to logs and metrics. */
  readonly observe?: Observer
  /** Options of `createGateway` that replace those of the configuration. */
  readonly gateway?: Partial<GatewayOptions>
}

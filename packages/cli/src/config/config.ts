import type {
  AbandonedCallOptions,
  BreakerOptions,
  FailureSpec,
  GatewayOptions,
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
import type { ApiKeys } from '@sluice/providers'

/**
 * A configuration: what a file says, in TypeScript, JSON or YAML. Every text of it may name variables of the
 * environment, as `${NAME}`; `${NAME:-text}` has a default.
 */
export interface Config {
  /** For editors: where the JSON Schema is. */
  readonly $schema?: string
  readonly server?: ServerConfig
  /** Vendors by the names that routes use. A name that is a vendor's own needs no `type`. */
  readonly providers?: Readonly<Record<string, ProviderConfig | ProviderFunction>>
  /**
   * The models that callers can request, each with its route. A name with a `*` matches all names of that form; a `*` in
   * its targets is replaced by the matched text: `'fast/*': ['groq/*', 'cerebras/*']`.
   */
  readonly models: Readonly<Record<string, RouteConfig>>
  /** Callers with keys that stand here; those that are issued by `sluice keys` come beside them. */
  readonly keys?: readonly KeyConfig[]
  /** Callers with tokens of an identity provider. */
  readonly jwt?: JwtConfig
  /** Rules for all callers. */
  readonly limits?: readonly LimitRuleData[]
  /** US dollars per million tokens, by model or `provider/model`; or `genai-prices`, where that package is installed. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | 'genai-prices'
  /** What calls are charged whose answers were cut off before any of them came. Default: what was reserved for them. */
  readonly abandonedCalls?: Partial<AbandonedCallOptions>
  readonly state?: StateConfig
  /** Complete responses are replayed for identical requests. */
  readonly cache?: { readonly ttlMs: number; readonly maxBytes?: number }
  /** Whether `Idempotency-Key` is honoured. Default: no. */
  readonly idempotency?: boolean
  readonly telemetry?: TelemetryConfig
  /** The page at `/console/`. Default: off. */
  readonly console?: ConsoleConfig | false
  readonly validation?: GatewayOptions['validation']
  readonly unknownParameters?: GatewayOptions['unknownParameters']
  readonly unsupportedParameters?: GatewayOptions['unsupportedParameters']
  readonly traceHeader?: boolean
  readonly clientRequestId?: GatewayOptions['clientRequestId']
  readonly maxAttempts?: number
  /** Refuses what comes while so many requests run. Default: none is refused. */
  readonly maxInFlight?: number
  readonly requestLimits?: Partial<RequestLimits>
  readonly timeouts?: Partial<Timeouts>
  readonly stream?: Partial<StreamPacing>
  readonly retry?: Partial<RetryOptions> | false
  readonly breaker?: Partial<BreakerOptions> | false
}

export interface ServerConfig {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 8787. */
  readonly port?: number
  /** Default `/v1`. */
  readonly basePath?: string
  /** Origins whose pages may call, or `*`. Default: none. */
  readonly cors?: readonly string[] | '*'
  /**
   * Host names by which the service may be called, beside loopback and the address that it listens on: any other is a 403.
   * Default: any; with `sluice dev` none.
   */
  readonly allowedHosts?: readonly string[]
  /** Whether `x-forwarded-*` are a trusted proxy's. Default: no. */
  readonly trustProxy?: boolean
  /** How long running answers may take to end at a stop, in milliseconds. Default 30,000. */
  readonly drainMs?: number
}

/** A vendor's options, as its function in `@sluice/providers` takes them, and which one it is. */
export interface ProviderConfig {
  /** A vendor of `@sluice/providers`: `openai`, `anthropic`, `groq`, `openai-compatible`. Default: the provider's name. */
  readonly type?: string
  readonly apiKey?: ApiKeys
  readonly baseURL?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly maxConcurrent?: number
  readonly [option: string]: unknown
}

/** In TypeScript: a vendor that is made already, such as `openai({ apiKey })`, or one of your own. */
export type ProviderFunction = (model: string) => Target

/**
 * Where a model is answered: a target (`openai/gpt-4o`), the name of another model, a list that is tried in order, or one
 * of the ways to choose. A text that is another model's name means that model; else what stands before its first `/` is
 * the provider. In TypeScript any entry of the core's `models()` may stand here too. `Text` are the texts that it may
 * hold.
 */
export type RouteConfig<Text extends string = string> =
  | Text
  | readonly RouteConfig<Text>[]
  | RouteChoice<Text>
  | Target
  | Route<string, Text>

export type RouteChoice<Text extends string = string> =
  | { readonly fallback: readonly RouteConfig<Text>[]; readonly on?: readonly FailureSpec[] }
  | { readonly weighted: readonly { readonly to: RouteConfig<Text>; readonly weight: number }[] }
  | { readonly fastest: readonly RouteConfig<Text>[] }
  | { readonly leastBusy: readonly RouteConfig<Text>[] }
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
  /** A place with parameters of its own, which stand in the place of the caller's, or with what its model can do. */
  | {
      readonly to: Text
      readonly parameters?: Target['parameters']
      readonly capabilities?: Target['capabilities']
      readonly allowFields?: Target['allowFields']
    }

/** What a request is looked at for. Several members: all of them. */
export interface ConditionConfig {
  /** A tag of the caller and its value. */
  readonly tag?: Readonly<Record<string, string>>
  readonly promptLongerThan?: number
  readonly bodyLargerThan?: number
  readonly hasTools?: boolean
  readonly hasMedia?: boolean
  readonly modelMatches?: string | readonly string[]
  readonly anyOf?: readonly ConditionConfig[]
  readonly noneOf?: readonly ConditionConfig[]
}

export interface KeyConfig {
  /** Who it is: in records, limits and logs. */
  readonly id: string
  /** The key itself, best from the environment, or its digest (`hash`). */
  readonly key?: string
  /** What `hashApiKey` gives. */
  readonly hash?: string
  /** Patterns of models. Default: all. */
  readonly models?: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
  readonly limits?: readonly LimitRuleData[]
}

export interface JwtConfig {
  /** Where the issuer publishes its keys. */
  readonly jwks?: string
  /** In its place: what the issuer signs with, for HMAC. */
  readonly secret?: string
  readonly issuer: string
  /** The `aud` that a token must have: one, or any of several. */
  readonly audience: string | readonly string[]
}

export interface StateConfig {
  /**
   * Where keys and the ledger are kept: `file:./sluice.db` (SQLite) or `postgres://...`. Default: `file:./sluice.db` for
   * `sluice dev`, and none for `sluice serve`.
   */
  readonly database?: string
  /** Where processes share limits, cached responses and the health of targets: `redis://...`. Default: this process. */
  readonly redis?: string
  /** What tells this service's keys in Redis from others'. Default `sluice`. */
  readonly prefix?: string
  /** A secret under which issued keys are digested; or several by the names of their versions, newest first. */
  readonly pepper?: string | Readonly<Record<string, string>>
  /** How many processes share the Redis: each counts its share of a limit while that is away. Default 4. */
  readonly instances?: number
}

export interface TelemetryConfig {
  /** One line a request. Default `auto`: pretty on a terminal, JSON elsewhere. */
  readonly log?: 'auto' | 'pretty' | 'json' | 'off'
  /** Prometheus metrics at `/metrics`, to everybody or to who sends `token` as a bearer token. Default: on, to everybody. */
  readonly metrics?: boolean | { readonly token: string }
  /** OpenTelemetry spans and metrics, sent as `OTEL_EXPORTER_OTLP_ENDPOINT` says. Default: off. */
  readonly openTelemetry?: boolean
  /** Tags of callers that become labels. Default: none. */
  readonly tagLabels?: readonly string[]
}

export interface ConsoleConfig {
  /** Who has it sees usage and manages keys. It is no key of a caller. */
  readonly adminKey: string
  /**
   * What the chat of the console may do where no caller's key is typed in: it calls as the principal `console`. `false`: the
   * chat needs a caller's key.
   */
  readonly chat?: ConsoleChatConfig | false
}

export interface ConsoleChatConfig {
  /** Patterns of models. Default: all. */
  readonly models?: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
  /** Default: 60 requests a minute, and 1 US dollar a day that does not count models without a price. */
  readonly limits?: readonly LimitRuleData[]
}

/** A configuration of your own functions, too: what cannot be written as data. */
export interface TypedConfig extends Config {
  readonly observe?: Observer
  /** Options of `createGateway` that take the place of what the configuration makes. */
  readonly gateway?: Partial<GatewayOptions>
}

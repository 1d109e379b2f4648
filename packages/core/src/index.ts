/**
 * What an application uses first: at most 30 values, and the types that their signatures and options mention. Everything
 * else has one subpath: see `docs/entry-points.md`.
 */
export { type ApiKey, type ApiKeySource, apiKeys } from './auth/api-keys.ts'
export type { ApiKeysOptions } from './auth/api-keys-options.ts'
export { firstOf } from './auth/first-of.ts'
export type { Pepper } from './auth/key-digest.ts'
export { type Idempotency, type IdempotencyOptions, idempotency } from './caching/idempotency.ts'
export { type ResponseCache, type ResponseCacheOptions, responseCache } from './caching/response-cache.ts'
export type { Clock, Timer } from './clock/clock.ts'
export type { Authenticator } from './contracts/authenticator.ts'
export type { Authorizer } from './contracts/authorizer.ts'
export type { BodyRecorder, BodyRequest, RecordedBodies } from './contracts/body-recorder.ts'
export type { CacheKey, CacheStore } from './contracts/cache-store.ts'
export type {
  BreakerOptions,
  CallOptions,
  CallTimeouts,
  RetryOptions,
  Timeouts,
} from './contracts/call-options.ts'
export type { Dialect, GenerateDialect } from './contracts/dialect.ts'
export type { Draft, RestoredState } from './contracts/draft.ts'
export type { EmbeddingEncoding, EmbeddingInput, EmbedRequest } from './contracts/embedding.ts'
export type {
  AttemptFailedEvent,
  AttemptReason,
  AttemptRecord,
  BeginEvent,
  BudgetEvent,
  DiscardedCallEvent,
  EndEvent,
  GatewayEvent,
  InternalErrorEvent,
  LedgerRecordsLostEvent,
  LogBodiesLostEvent,
  LogRowsLostEvent,
  Observer,
  ProviderKeyEvent,
  RequestOutcome,
  StoreEvent,
  TargetEvent,
  WarningEvent,
} from './contracts/events.ts'
export type {
  ChunkDecision,
  Hook,
  HookChunk,
  HookContext,
  HookRefusal,
  HookRequest,
  HookResponse,
  RequestDecision,
  ResponseDecision,
  TextReplacement,
} from './contracts/hook.ts'
export type { FetchContext, TargetName } from './contracts/host.ts'
export type { ApiKeyLookup, ApiKeyRecord, KeyStore } from './contracts/key-store.ts'
export type { Ledger } from './contracts/ledger.ts'
export type { LimitStore } from './contracts/limit-store.ts'
export type { Lease, LimitContext, Limiter, LimitState } from './contracts/limiter.ts'
export type { LoadShedder, LoadSnapshot } from './contracts/load-shedder.ts'
export type { ModerateRequest } from './contracts/moderation.ts'
export type { Operation, Outline, OutlineMedia } from './contracts/outline.ts'
export type { PartialOptions } from './contracts/partial-options.ts'
export type {
  BudgetWindow,
  LimitKind,
  LimitRuleData,
  NamedScope,
  Principal,
  PrincipalId,
  Scope,
  ScopeOf,
  Window,
} from './contracts/principal.ts'
export type { Adjustment, Target, UnsupportedParameters } from './contracts/provider.ts'
export type { RerankRequest, RerankResult } from './contracts/rerank.ts'
export type { ResponseStore, StoredResponse } from './contracts/response-store.ts'
export type {
  CallTarget,
  ModelCard,
  ReferredBy,
  Refers,
  Route,
  RouteContext,
  RoutedTarget,
} from './contracts/route.ts'
export type { SharedHealth } from './contracts/shared-health.ts'
export type { KeyHealth, TargetHealth } from './contracts/target-health.ts'
export type { HookRecord, RequestTrace, SkippedKey, SkipReason, TracedTarget } from './contracts/trace.ts'
export type { AttemptEnd, AttemptSpan, RequestSpan, Tracer, UpstreamCall } from './contracts/tracer.ts'
export type { Transport } from './contracts/transport.ts'
export type { RequestText } from './conversation/request-texts.ts'
export type { AuthFailure, AuthFailureReason } from './errors/auth-failure.ts'
export { ConfigurationError, type ConfigurationIssue, type OptionPath } from './errors/configuration-error.ts'
export { type ErrorBody, type ErrorReason, GatewayError, type GatewayErrorDetails } from './errors/errors.ts'
export type { NativeError } from './errors/native-error.ts'
export type { UnavailableReason } from './errors/unavailable-reason.ts'
export { UpstreamError, type UpstreamErrorDetails, type UpstreamFailure } from './errors/upstream-error.ts'
export type { BackgroundOptions } from './gateway/background-options.ts'
export type { GatewayOptions, StreamPacing } from './gateway/config.ts'
export { createGateway } from './gateway/gateway.ts'
export type { Explanation, Gateway, ManagedGateway } from './gateway/managed-gateway.ts'
export type { ModelTargets, TargetPrice, TargetStatus } from './gateway/model-targets.ts'
export { type CorsOptions, withCors } from './gateway/with-cors.ts'
export { type Endpoint, withEndpoints } from './gateway/with-endpoints.ts'
export type { RequestLimits } from './http/request-limits.ts'
export { observers } from './observability/observers.ts'
export type { ChatRequest, FinishReason, Usage } from './protocol/chat.ts'
export type { JsonLimits } from './protocol/json.ts'
export { limits } from './rate-limiting/limits.ts'
export type { LimitsOptions, StoreFailurePolicy, WaitOptions } from './rate-limiting/limits-options.ts'
export { inFlightCap } from './rate-limiting/load-shedding.ts'
export { budget, concurrent, type LimitRule, requests, tokens } from './rate-limiting/rule.ts'
export { byContextLength } from './routing/by-context-length.ts'
export { type CheapestOptions, cheapest } from './routing/cheapest.ts'
export type { CombinedRoute, ModelEntry, NamesIn } from './routing/combined-route.ts'
export { type RouteCondition, when } from './routing/conditions.ts'
export { type FailureSpec, type FallbackOptions, fallback } from './routing/fallback.ts'
export { fastest } from './routing/fastest.ts'
export { type HedgeOptions, hedge } from './routing/hedge.ts'
export { leastBusy } from './routing/least-busy.ts'
export { type MirrorOptions, mirror } from './routing/mirror.ts'
export {
  type ModelEntries,
  type ModelTable,
  models,
  type TableEntry,
  type TargetMaker,
  type WildcardEntry,
} from './routing/models.ts'
export type { RouteKey } from './routing/route-key.ts'
export { type SplitArms, split } from './routing/split.ts'
export { type StickyEntry, sticky } from './routing/sticky.ts'
export { type WeightedEntry, weighted } from './routing/weighted.ts'
export type { AbandonedCallOptions } from './usage/abandoned-calls.ts'
export type { LongContextPrice, ModelPrice, TokenPrice } from './usage/model-price.ts'
export { type PriceTable, priceTable, type ReplaceablePrices } from './usage/price-table.ts'
export type { PricedModel, Prices } from './usage/prices.ts'

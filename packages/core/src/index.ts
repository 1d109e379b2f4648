export type { BatchedLedger, BatchedLedgerOptions } from './accounting/batched-ledger.ts'
export { batchedLedger } from './accounting/batched-ledger.ts'
export {
  type StoredBatch,
  type StoredClosing,
  type StoredEntry,
  type StoredProgress,
  toStoredBatch,
} from './accounting/stored-batch.ts'
export type { ValidatedUsageFilter } from './accounting/usage-query.ts'
export { type ValidatedUsageQuery, validateUsageQuery } from './accounting/usage-query.ts'
export type { ApiKey, ApiKeySource } from './auth/api-keys.ts'
export { apiKeys } from './auth/api-keys.ts'
export type { ApiKeysOptions } from './auth/api-keys-options.ts'
export { bearerToken } from './auth/authenticate.ts'
export { modelPatterns } from './auth/authorize.ts'
export { firstOf } from './auth/first-of.ts'
export { isIssuedKey } from './auth/issued-key.ts'
export type { KeyStoreOptions } from './auth/issued-keys.ts'
export { keyStore } from './auth/issued-keys.ts'
export type { Pepper } from './auth/key-digest.ts'
export { hashApiKey } from './auth/key-digest.ts'
export type { Idempotency, IdempotencyOptions } from './caching/idempotency.ts'
export { idempotency } from './caching/idempotency.ts'
export type { MemoryCacheStore, MemoryCacheStoreOptions } from './caching/memory-cache-store.ts'
export { memoryCacheStore } from './caching/memory-cache-store.ts'
export type { ResponseCache, ResponseCacheOptions } from './caching/response-cache.ts'
export { responseCache } from './caching/response-cache.ts'
export type { Authenticator } from './contracts/authenticator.ts'
export type { Authorizer } from './contracts/authorizer.ts'
export type { AddResult, CacheKey, CacheLifetime, CacheStore } from './contracts/cache-store.ts'
export type { Database } from './contracts/database.ts'
export type { Draft } from './contracts/draft.ts'
export type {
  AttemptFailedEvent,
  AttemptReason,
  AttemptRecord,
  BeginEvent,
  DiscardedCallEvent,
  EndEvent,
  GatewayEvent,
  InternalErrorEvent,
  Observer,
  RequestOutcome,
  StoreEvent,
  TargetEvent,
  WarningEvent,
} from './contracts/events.ts'
export type {
  DisconnectListener,
  DisconnectSource,
  FetchContext,
  GatewayResponse,
  HostBody,
} from './contracts/host.ts'
export type { Journal } from './contracts/journal.ts'
export type {
  ApiKeyLookup,
  ApiKeyRecord,
  IssuedKey,
  KeyChanges,
  KeyFields,
  KeyRepository,
  KeySecret,
  KeySpec,
  KeyStore,
  StoredKey,
} from './contracts/key-store.ts'
export type {
  Charge,
  Ledger,
  LedgerClosing,
  LedgerEntry,
  RecordKind,
  UsageDimension,
  UsageFilter,
  UsageQuery,
  UsageRow,
} from './contracts/ledger.ts'
export type { LedgerBatch, LedgerRepository } from './contracts/ledger-repository.ts'
export type {
  Claim,
  Counter,
  CounterState,
  LeaseCounter,
  LimitDecision,
  LimitStore,
  RateCounter,
  Settlement,
  SumCounter,
} from './contracts/limit-store.ts'
export type { Lease, LimitContext, Limiter, LimitState } from './contracts/limiter.ts'
export type { LoadShedder, LoadSnapshot } from './contracts/load-shedder.ts'
export type {
  BudgetWindow,
  LimitKind,
  LimitRuleData,
  NamedScope,
  Principal,
  Scope,
  ScopeOf,
  Window,
} from './contracts/principal.ts'
export type * from './contracts/provider.ts'
export type { ModelCard, Route, RouteContext, RoutedTarget } from './contracts/route.ts'
export type {
  SharedHealth,
  SharedPause,
  SharedTargetChange,
  SharedTargetState,
} from './contracts/shared-health.ts'
export type { TargetHealth } from './contracts/target-health.ts'
export type { RequestTrace, SkipReason, TracedTarget } from './contracts/trace.ts'
export type { AttemptEnd, AttemptSpan, RequestSpan, Tracer, UpstreamCall } from './contracts/tracer.ts'
export type {
  Transport,
  TransportResponse,
  UpstreamRequest,
  UpstreamResponse,
} from './contracts/transport.ts'
export type { AuthFailure, AuthFailureReason } from './errors/auth-failure.ts'
export { authFailureReasons } from './errors/auth-failure.ts'
export {
  ConfigurationError,
  type ConfigurationIssue,
  configurationError,
  configurationIssue,
  hiddenIssue,
  issueText,
  type OptionPath,
  optionPathText,
  quoted,
  unknownOption,
} from './errors/configuration-error.ts'
export type { ErrorBody, ErrorReason, GatewayErrorDetails } from './errors/errors.ts'
export { GatewayError } from './errors/errors.ts'
export type { UnavailableReason } from './errors/unavailable-reason.ts'
export type { UpstreamErrorDetails, UpstreamFailure } from './errors/upstream-error.ts'
export { UpstreamError } from './errors/upstream-error.ts'
export type { GatewayOptions, StreamPacing } from './gateway/config.ts'
export { createGateway } from './gateway/gateway.ts'
export type { Explanation, Gateway, ManagedGateway } from './gateway/managed-gateway.ts'
export type { ModelTargets, TargetStatus } from './gateway/model-targets.ts'
export type { CorsOptions } from './gateway/with-cors.ts'
export { withCors } from './gateway/with-cors.ts'
export type { Endpoint } from './gateway/with-endpoints.ts'
export { withEndpoints } from './gateway/with-endpoints.ts'
export type { RequestLimits } from './http/request-limits.ts'
export { observers } from './observability/observers.ts'
export { closest } from './primitives/closest.ts'
export { storableText } from './primitives/safe-text.ts'
export type * from './protocol/chat.ts'
export type { JsonLimits } from './protocol/json.ts'
export type { SseDecodeOptions, SseEvent } from './protocol/sse.ts'
export { decodeSse, SseDecoder } from './protocol/sse.ts'
export { burstOf, cellCost, cellsIn } from './rate-limiting/counters.ts'
export { limits } from './rate-limiting/limits.ts'
export type { LimitsOptions, StoreFailurePolicy, WaitOptions } from './rate-limiting/limits-options.ts'
export { inFlightCap } from './rate-limiting/load-shedding.ts'
export type { MemoryLimitStore, MemoryLimitStoreOptions } from './rate-limiting/memory-limit-store.ts'
export { memoryLimitStore } from './rate-limiting/memory-limit-store.ts'
export type { LimitRule } from './rate-limiting/rule.ts'
export { budget, concurrent, limitRule, requests, tokens } from './rate-limiting/rule.ts'
export { byContextLength } from './routing/by-context-length.ts'
export { type CheapestOptions, cheapest } from './routing/cheapest.ts'
export type { CombinedRoute, ModelEntry } from './routing/combined-route.ts'
export type { RouteCondition } from './routing/conditions.ts'
export {
  allOf,
  anyOf,
  bodyLargerThan,
  hasMedia,
  hasTag,
  hasTools,
  modelMatches,
  noneOf,
  promptLongerThan,
  when,
} from './routing/conditions.ts'
export type { FailureSpec } from './routing/fallback.ts'
export { type FallbackOptions, fallback } from './routing/fallback.ts'
export { fastest } from './routing/fastest.ts'
export { type HedgeOptions, hedge } from './routing/hedge.ts'
export { leastBusy } from './routing/least-busy.ts'
export { type MirrorOptions, mirror } from './routing/mirror.ts'
export type { ModelEntries, ModelTable, TargetMaker, WildcardEntry } from './routing/models.ts'
export { models } from './routing/models.ts'
export type { RouteKey } from './routing/route-key.ts'
export { type SplitArms, split } from './routing/split.ts'
export { type StickyEntry, sticky } from './routing/sticky.ts'
export { weighted } from './routing/weighted.ts'
export { withParameters } from './routing/with-parameters.ts'
export { fetchTransport } from './transports/fetch.ts'
export type { Timeouts } from './upstream/deadlines.ts'
export type { BreakerOptions, RetryOptions } from './upstream/health/health-options.ts'
export type { AbandonedCallOptions } from './usage/abandoned-calls.ts'
export type { CalcPrice, GenaiPricesOptions } from './usage/genai-prices.ts'
export { genaiPrices } from './usage/genai-prices.ts'
export type { ModelPrice, TokenPrice } from './usage/model-price.ts'
export type { PriceTable, ReplaceablePrices } from './usage/price-table.ts'
export { priceTable } from './usage/price-table.ts'
export type { PricedModel, Prices } from './usage/prices.ts'

export type { AbandonedCallOptions } from './abandoned-calls.ts'
export type { AuthFailure, AuthFailureReason } from './auth-failure.ts'
export { authFailureReasons } from './auth-failure.ts'
export { closest } from './closest.ts'
export type { GatewayOptions, IntakeLimits, StreamPacing, Timeouts } from './config.ts'
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
} from './configuration-error.ts'
export type { ErrorBody, GatewayErrorDetails, Refusal } from './errors.ts'
export { GatewayError } from './errors.ts'
export type {
  AttemptFailedEvent,
  AttemptReason,
  AttemptRecord,
  BeginEvent,
  EndEvent,
  GatewayEvent,
  InternalErrorEvent,
  Observer,
  Outcome,
  StoreEvent,
  TargetEvent,
  UnusedCallEvent,
  WarningEvent,
} from './events.ts'
export { createGateway } from './gateway.ts'
export type { BreakerOptions, RetryOptions } from './health-options.ts'
export type {
  Answer,
  Explanation,
  FetchContext,
  Gateway,
  HostBody,
  LeaveListener,
  Leaving,
  ManagedGateway,
} from './host.ts'
export type { Journal } from './ledger/journal.ts'
export type { KeptLedger, KeptLedgerOptions } from './ledger/kept-ledger.ts'
export { keptLedger } from './ledger/kept-ledger.ts'
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
} from './ledger/ledger.ts'
export type { LedgerBatch, LedgerRows } from './ledger/ledger-rows.ts'
export { storableText } from './ledger/storable-text.ts'
export {
  type StoredBatch,
  type StoredClosing,
  type StoredEntry,
  type StoredProgress,
  storedBatch,
} from './ledger/stored-batch.ts'
export type { CheckedUsageFilter } from './ledger/usage-filter.ts'
export { type CheckedUsageQuery, checkedUsageQuery } from './ledger/usage-query.ts'
export type * from './limit-rule.ts'
export type { ModelTargets, TargetStatus } from './model-targets.ts'
export type { IdempotencyOptions } from './policies/answers/idempotency.ts'
export { idempotency } from './policies/answers/idempotency.ts'
export type { MemoryAnswers, MemoryAnswersOptions } from './policies/answers/memory-answers.ts'
export { memoryAnswers } from './policies/answers/memory-answers.ts'
export type { ResponseCacheOptions } from './policies/answers/response-cache.ts'
export { responseCache } from './policies/answers/response-cache.ts'
export type { ApiKey, ApiKeyLookup, ApiKeySource, ApiKeysOptions } from './policies/api-keys/api-keys.ts'
export { apiKeys } from './policies/api-keys/api-keys.ts'
export { isIssuedKey } from './policies/api-keys/issued-key.ts'
export type { KeyStoreOptions } from './policies/api-keys/issued-keys.ts'
export { keyStore } from './policies/api-keys/issued-keys.ts'
export type { Pepper } from './policies/api-keys/key-digest.ts'
export { hashApiKey } from './policies/api-keys/key-digest.ts'
export type { ApiKeyRecord } from './policies/api-keys/key-record.ts'
export type {
  IssuedKey,
  KeyChanges,
  KeyFields,
  KeyRows,
  KeySecret,
  KeySpec,
  KeyStore,
  StoredKey,
} from './policies/api-keys/key-store.ts'
export type { Database } from './policies/database.ts'
export { firstOf } from './policies/first-of.ts'
export { inFlightCap } from './policies/in-flight-cap.ts'
export { burstOf, cellCost, cellsIn } from './policies/limits/cell-cost.ts'
export type { StoreFailurePolicy } from './policies/limits/guarded-store.ts'
export type {
  Claim,
  Counter,
  CounterState,
  LeaseCounter,
  LimitStore,
  RateCounter,
  Settlement,
  SumCounter,
  Verdict,
} from './policies/limits/limit-store.ts'
export { limits } from './policies/limits/limits.ts'
export type { LimitsOptions, WaitOptions } from './policies/limits/limits-options.ts'
export type { MemoryStore, MemoryStoreOptions } from './policies/limits/memory-store.ts'
export { memoryStore } from './policies/limits/memory-store.ts'
export type { LimitRule } from './policies/limits/rule.ts'
export { budget, concurrent, limitRule, requests, tokens } from './policies/limits/rule.ts'
export { modelPatterns } from './policies/model-patterns.ts'
export type { ModelEntries, ModelTable, TargetMaker, WildcardEntry } from './policies/models.ts'
export { models } from './policies/models.ts'
export { observers } from './policies/observers.ts'
export type { CalcPrice, GenaiPricesOptions } from './policies/prices/genai-prices.ts'
export { genaiPrices } from './policies/prices/genai-prices.ts'
export type { ModelPrice, TokenPrice } from './policies/prices/model-price.ts'
export type { PriceTable, ReplaceablePrices } from './policies/prices/price-table.ts'
export { priceTable } from './policies/prices/price-table.ts'
export { byContextLength } from './policies/routes/by-context-length.ts'
export { type CheapestOptions, cheapest } from './policies/routes/cheapest.ts'
export type { CombinedRoute } from './policies/routes/combined-route.ts'
export {
  allOf,
  anyOf,
  askedAs,
  bodyAbove,
  holdsMedia,
  noneOf,
  offersTools,
  promptAbove,
  taggedWith,
} from './policies/routes/conditions.ts'
export type { FailureSpec } from './policies/routes/failure-test.ts'
export { type FallbackOptions, fallback } from './policies/routes/fallback.ts'
export { fastest } from './policies/routes/fastest.ts'
export { type HedgeOptions, hedge } from './policies/routes/hedge.ts'
export { leastBusy } from './policies/routes/least-busy.ts'
export { type MirrorOptions, mirror } from './policies/routes/mirror.ts'
export type { ModelEntry } from './policies/routes/model-entry.ts'
export type { RouteCondition } from './policies/routes/route-condition.ts'
export type { RouteKey } from './policies/routes/route-key.ts'
export { type SplitArms, split } from './policies/routes/split.ts'
export { type StickyEntry, sticky } from './policies/routes/sticky.ts'
export { weighted } from './policies/routes/weighted.ts'
export { when } from './policies/routes/when.ts'
export { withParameters } from './policies/routes/with-parameters.ts'
export type { CorsOptions } from './policies/with-cors.ts'
export { withCors } from './policies/with-cors.ts'
export type { Endpoint } from './policies/with-endpoints.ts'
export { withEndpoints } from './policies/with-endpoints.ts'
export type { PricedModel, Prices } from './prices.ts'
export type * from './protocol/chat.ts'
export type { JsonLimits } from './protocol/json.ts'
export type { SseDecodeOptions, SseEvent } from './protocol/sse.ts'
export { decodeSse, SseDecoder } from './protocol/sse.ts'
export type * from './provider.ts'
export type { AddResult, AnswerKey, AnswerLifetime, AnswerStore } from './recall/answer-store.ts'
export type { Authenticator, Principal } from './stages/authenticate.ts'
export { bearerToken } from './stages/authenticate.ts'
export type { Authorizer } from './stages/authorize.ts'
export type { Lease, LimitContext, Limiter } from './stages/limit.ts'
export type { Draft } from './stages/read.ts'
export type { ResponseCache } from './stages/recall/cached.ts'
export type { Idempotency } from './stages/recall/repeated.ts'
export type { Candidate, ModelCard, Route, RouteContext } from './stages/route.ts'
export type { Load, LoadShedder } from './stages/shed.ts'
export type { RequestTrace, SkipReason, TracedCandidate } from './trace.ts'
export type { AskedUpstream, AttemptEnd, AttemptSpan, RequestSpan, Tracer } from './tracer.ts'
export type { Transport, TransportResponse, UpstreamRequest, UpstreamResponse } from './transport.ts'
export { fetchTransport } from './transports/fetch.ts'
export type {
  SharedHealth,
  SharedPause,
  SharedTargetChange,
  SharedTargetState,
} from './upstream/health/shared-health.ts'
export type { TargetHealth } from './upstream/health/target-health.ts'
export type { UnavailableReason } from './upstream/health/unavailable-reason.ts'
export type { UpstreamErrorDetails, UpstreamFailure } from './upstream-error.ts'
export { UpstreamError } from './upstream-error.ts'

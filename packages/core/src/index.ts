export type { GatewayOptions, IntakeLimits, StreamPacing, Timeouts } from './config.ts'
export type { ErrorBody, GatewayErrorDetails, Refusal } from './errors.ts'
export { GatewayError } from './errors.ts'
export type {
  AttemptFailedEvent,
  AttemptRecord,
  EndEvent,
  GatewayEvent,
  InternalErrorEvent,
  Observer,
  Outcome,
  StoreEvent,
  WarningEvent,
} from './events.ts'
export { createGateway } from './gateway.ts'
export type { Answer, FetchContext, Gateway, HostBody } from './host.ts'
export type { Journal } from './ledger/journal.ts'
export type { KeptLedger, KeptLedgerOptions } from './ledger/kept-ledger.ts'
export { keptLedger } from './ledger/kept-ledger.ts'
export type {
  Charge,
  Ledger,
  LedgerClosing,
  LedgerEntry,
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
export type { ModelEntry, ModelTable } from './policies/models.ts'
export { models } from './policies/models.ts'
export type { CalcPrice, GenaiPricesOptions } from './policies/prices/genai-prices.ts'
export { genaiPrices } from './policies/prices/genai-prices.ts'
export type { ModelPrice } from './policies/prices/model-price.ts'
export type { PriceTable, ReplaceablePrices } from './policies/prices/price-table.ts'
export { priceTable } from './policies/prices/price-table.ts'
export type { CorsOptions } from './policies/with-cors.ts'
export { withCors } from './policies/with-cors.ts'
export type { PricedModel, Prices } from './prices.ts'
export type * from './protocol/chat.ts'
export type { JsonLimits } from './protocol/json.ts'
export type { SseDecodeOptions, SseEvent } from './protocol/sse.ts'
export { decodeSse } from './protocol/sse.ts'
export type * from './provider.ts'
export type { Authenticator, Principal } from './stages/authenticate.ts'
export { bearerToken } from './stages/authenticate.ts'
export type { Authorizer } from './stages/authorize.ts'
export type { Lease, LimitContext, Limiter } from './stages/limit.ts'
export type { Draft } from './stages/read.ts'
export type { ModelCard, Route, RouteContext } from './stages/route.ts'
export type { Transport, TransportResponse, UpstreamRequest, UpstreamResponse } from './transport.ts'
export { fetchTransport } from './transports/fetch.ts'
export type { UpstreamErrorDetails, UpstreamFailure } from './upstream-error.ts'
export { UpstreamError } from './upstream-error.ts'

/**
 * For packages that add a database: the contracts of stores, and the functions that they share. The contracts may gain
 * optional members in minor versions.
 */
export {
  type StoredBatch,
  type StoredCharge,
  type StoredClosing,
  type StoredEntry,
  type StoredProgress,
  toStoredBatch,
} from './accounting/stored-batch.ts'
export {
  type ValidatedUsageFilter,
  type ValidatedUsageQuery,
  validateUsageQuery,
} from './accounting/usage-query.ts'
export {
  type MemoryCacheStore,
  type MemoryCacheStoreOptions,
  memoryCacheStore,
} from './caching/memory-cache-store.ts'
export type { AlertStore } from './contracts/alert-store.ts'
export type { BodyLogRepository, StoredBodies } from './contracts/body-log.ts'
export type { BodyRecorder, BodyRequest, RecordedBodies } from './contracts/body-recorder.ts'
export type { AddResult, CacheKey, CacheLifetime, CacheStore } from './contracts/cache-store.ts'
export type { Database } from './contracts/database.ts'
export type { Journal } from './contracts/journal.ts'
export type { KeyFields, KeyRepository, KeySecret, StoredKey } from './contracts/key-store.ts'
export type { UsageDimension, UsageFilter, UsageQuery, UsageRow } from './contracts/ledger.ts'
export type { LedgerBatch, LedgerRepository } from './contracts/ledger-repository.ts'
export type {
  AnyCounter,
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
export type { BudgetWindow } from './contracts/principal.ts'
export type { ProcessGroup } from './contracts/process-group.ts'
export type { MemoryStoreName, ProcessStores, SizeOptions, SlotQueue } from './contracts/process-stores.ts'
export type {
  LoggedAttempt,
  LoggedRequest,
  RequestLogCapacity,
  RequestLogFilter,
  RequestLogPosition,
  RequestLogRepository,
  RequestLogSearch,
} from './contracts/request-log.ts'
export type { ResponseStore, StoredResponse } from './contracts/response-store.ts'
export type {
  SharedHealth,
  SharedPause,
  SharedTargetChange,
  SharedTargetState,
} from './contracts/shared-health.ts'
export type { UnavailableReason } from './errors/unavailable-reason.ts'
export { escapeNul, storableText, unescapeNul } from './primitives/safe-text.ts'
export {
  burstOf,
  cellCost,
  cellsIn,
  type RateParameters,
  windowAt,
} from './rate-limiting/counters.ts'
export {
  type MemoryResponseStore,
  type MemoryResponseStoreOptions,
  memoryResponseStore,
} from './stores/memory-response-store.ts'
export { followedCacheStore } from './stores/process-stores.ts'
export { type ResponseBounds, type ResponseStoreOptions, responseBounds } from './stores/response-bounds.ts'

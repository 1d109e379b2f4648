/**
 * The ledger of requests and the prices that it charges.
 */
export { type BatchedLedger, type BatchedLedgerOptions, batchedLedger } from './accounting/batched-ledger.ts'
export type { Journal } from './contracts/journal.ts'
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
export type { Operation } from './contracts/outline.ts'
export type { Usage } from './protocol/chat.ts'
export { type CalcPrice, type GenaiPricesOptions, genaiPrices } from './usage/genai-prices.ts'
export type { LongContextPrice, ModelPrice, TokenPrice } from './usage/model-price.ts'
export { modelCost, type PriceTable, priceTable, type ReplaceablePrices } from './usage/price-table.ts'
export type { PricedModel, Prices } from './usage/prices.ts'

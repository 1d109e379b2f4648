export { type BundledPrices, type BundledPricesOptions, bundledPrices } from './bundled-prices.ts'
export { pricesUpdatedAt } from './bundled-table.ts'
export type { PriceRefreshOptions } from './price-refresh.ts'

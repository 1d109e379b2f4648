import { claimCases } from './limit-store/claims.ts'
import { leaseCases } from './limit-store/leases.ts'
import type { LimitStoreCase } from './limit-store/limit-store-case.ts'
import { rateCases } from './limit-store/rates.ts'
import { settlementCases } from './limit-store/settlements.ts'
import { sumCases } from './limit-store/sums.ts'

/**
 * Tests a limit store, in any test runner. Each case uses keys of its own, so that all can share a database. Cases that are
 * `clocked` need a store with a given clock: leave them out for a store that has its own.
 *
 * @example
 * for (const { name, run } of limitStoreConformance) it(name, () => run(({ now }) => myStore({ now })))
 */
export const limitStoreConformance: readonly LimitStoreCase[] = [
  ...claimCases,
  ...rateCases,
  ...sumCases,
  ...leaseCases,
  ...settlementCases,
]

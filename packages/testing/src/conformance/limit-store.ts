import { claimCases } from './limit-store/claims.ts'
import { leaseCases } from './limit-store/leases.ts'
import type { LimitStoreCase } from './limit-store/limit-store-case.ts'
import { rateCases } from './limit-store/rates.ts'
import { settlementCases } from './limit-store/settlements.ts'
import { sumCases } from './limit-store/sums.ts'

/**
 * What every limit store does, as tests for any framework:
 *
 *     for (const { name, run } of limitStoreConformance) it(name, () => run(({ now }) => myStore({ now })))
 *
 * Each case uses keys of its own, so that one database serves all of them. Cases that are `clocked` go by a given clock;
 * leave them out for a store that takes none.
 */
export const limitStoreConformance: readonly LimitStoreCase[] = [
  ...claimCases,
  ...rateCases,
  ...sumCases,
  ...leaseCases,
  ...settlementCases,
]

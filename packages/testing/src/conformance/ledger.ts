import type { LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from './conformance-case.ts'
import { ledgerClosings } from './ledger/closings.ts'
import { ledgerCrowds } from './ledger/crowds.ts'
import { ledgerDeletions } from './ledger/deletions.ts'
import { ledgerFilters } from './ledger/filters.ts'
import { ledgerKinds } from './ledger/kinds.ts'
import { ledgerOrphans } from './ledger/orphans.ts'
import { ledgerUsage } from './ledger/usage.ts'
import { ledgerValues } from './ledger/values.ts'

/**
 * Tests a `LedgerRepository`, in any test runner. One case takes 2 seconds.
 *
 * @example
 * for (const { name, run } of ledgerConformance) it(name, () => run(async () => emptyRows()))
 */
export const ledgerConformance: readonly ConformanceCase<LedgerRepository>[] = [
  ...ledgerClosings,
  ...ledgerOrphans,
  ...ledgerUsage,
  ...ledgerFilters,
  ...ledgerKinds,
  ...ledgerValues,
  ...ledgerDeletions,
  ...ledgerCrowds,
]

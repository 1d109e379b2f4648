import type { LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from './conformance-case.ts'
import { ledgerClosings } from './ledger-closings.ts'
import { ledgerCrowds } from './ledger-crowds.ts'
import { ledgerFilters } from './ledger-filters.ts'
import { ledgerKinds } from './ledger-kinds.ts'
import { ledgerOrphans } from './ledger-orphans.ts'
import { ledgerUsage } from './ledger-usage.ts'
import { ledgerValues } from './ledger-values.ts'

/** What every `LedgerRows` does, in any database. One case takes two seconds; the others do not wait. */
export const ledgerConformance: readonly ConformanceCase<LedgerRepository>[] = [
  ...ledgerClosings,
  ...ledgerOrphans,
  ...ledgerUsage,
  ...ledgerFilters,
  ...ledgerKinds,
  ...ledgerValues,
  ...ledgerCrowds,
]

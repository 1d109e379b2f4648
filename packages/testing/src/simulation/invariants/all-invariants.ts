import type { Invariant } from '../invariant.ts'
import type { Partition } from '../store-link.ts'
import { boundedRetries, type RetryExpectations } from './bounded-retries.ts'
import { budgetsAgree } from './budgets-agree.ts'
import { type FairnessExpectations, fairShares } from './fair-shares.ts'
import { type ExpectedLimits, limitsHold } from './limits-hold.ts'
import { type HerdExpectations, noHerd } from './no-herd.ts'
import { recordsKept } from './records-kept.ts'
import { settledOnce } from './settled-once.ts'

/** What the gateways of a simulation promise, as their options and its models have it. */
export interface Expectations extends RetryExpectations {
  /** Number of gateways. */
  readonly gateways: number
  /** The limits of keys. */
  readonly limits?: readonly ExpectedLimits[]
  /** The partitions of the limit store. */
  readonly partitions?: readonly Partition[]
  /** The partitions of the ledger's database. */
  readonly ledgerPartitions?: readonly Partition[]
  /** The option `instances` of the limiter. Default 4. */
  readonly instances?: number
  readonly herd?: HerdExpectations
  /** Default: not checked. */
  readonly fairness?: FairnessExpectations
}

/** Returns all invariants, for one simulation. Its gateways need `ledger` of their environment. */
export function allInvariants(expectations: Expectations): readonly Invariant[] {
  const { gateways, limits = [], partitions = [], ledgerPartitions, instances, herd, fairness } = expectations
  return [
    limitsHold({ limits, partitions, gateways, ...(instances !== undefined && { instances }) }),
    settledOnce(partitions),
    recordsKept(ledgerPartitions),
    budgetsAgree(limits.flatMap(({ key, budget }) => (budget === undefined ? [] : [key]))),
    boundedRetries(expectations),
    noHerd(herd),
    ...(fairness === undefined ? [] : [fairShares(fairness)]),
  ]
}

import type { Claim, Counter, CounterState, LimitDecision } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { isFull } from './limit-error.ts'
import type { GuardedStoreOptions } from './limits-options.ts'

/** The part of a claim that is decided without its store. */
export interface LocalShare {
  /** The claim on this process's share; `undefined` if nothing is counted. */
  readonly claim: Claim | undefined
  /** Returns the decision on the original claim, from the decision on the share. */
  decision(local: LimitDecision | undefined): LimitDecision
  /** Returns the charges of the share. */
  charged(charged: readonly number[]): readonly number[]
}

/**
 * Decides a claim without the store, as set by `onStoreFailure`. Throws `GatewayError` `limiter_unavailable` if an enforced
 * counter is `closed`. A dry run never rejects: if it is `closed`, it is not counted.
 */
export function localShare(
  claim: Claim,
  kinds: readonly LimitKind[],
  { onStoreFailure, instances }: Pick<GuardedStoreOptions, 'onStoreFailure' | 'instances'>,
  error: unknown,
): LocalShare {
  const positions: (number | undefined)[] = []
  const counters: Counter[] = []
  claim.counters.forEach((counter, index) => {
    const kind = kinds[index]
    const policy = kind === undefined ? 'closed' : onStoreFailure[kind]
    if (policy === 'local') {
      positions.push(counters.length)
      counters.push(shareOf(counter, instances))
    } else if (policy === 'open' || counter.dryRun) positions.push(undefined)
    else
      throw new GatewayError('limiter_unavailable', { headers: { 'x-should-retry': 'true' }, cause: error })
  })
  return {
    claim: counters.length === 0 ? undefined : { ...claim, counters },
    decision: local => ({
      allowed: local?.allowed ?? true,
      ...(local !== undefined && isFull(local) && { full: true }),
      local: true,
      counters: positions.map((position, index) => {
        const state = position === undefined ? undefined : local?.counters[position]
        return state ?? untouched(claim.counters[index]?.limit ?? 0)
      }),
    }),
    charged: charged => charged.filter((_, index) => positions[index] !== undefined),
  }
}

/**
 * Returns the share of one process. An amount larger than the share, but not the limit, is admitted when the complete share
 * is free: otherwise it would wait forever.
 */
function shareOf(counter: Counter, instances: number): Counter {
  const limit = Math.max(1, Math.floor(counter.limit / instances))
  if (counter.kind === 'lease' || counter.amount <= limit || counter.amount > counter.limit) {
    return { ...counter, limit }
  }
  if (counter.floor === undefined) return { ...counter, limit, amount: limit }
  return { ...counter, limit, amount: limit, floor: Math.min(counter.floor, limit) }
}

function untouched(limit: number): CounterState {
  return { over: false, remaining: limit, resetMs: 0, waitMs: 0 }
}

import type { Claim, Counter, CounterState, LimitDecision } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { isFull } from './limit-error.ts'
import type { GuardedStoreOptions } from './limits-options.ts'

/** What of a claim is decided without its store. */
export interface LocalShare {
  /** What is counted in this process; `undefined` where nothing is. */
  readonly claim: Claim | undefined
  /** The verdict on the whole claim, from that on the share. */
  verdict(local: LimitDecision | undefined): LimitDecision
  /** What the share is charged. */
  charged(charged: readonly number[]): readonly number[]
}

/**
 * Goes on without the store, as `onStoreFailure` says. Throws `GatewayError` `limiter_unavailable` where a counter
 * that may refuse is closed. A shadow refuses nobody: where it is closed it is not counted.
 */
export function localShare(
  claim: Claim,
  kinds: readonly LimitKind[],
  { onStoreFailure, instances }: Pick<GuardedStoreOptions, 'onStoreFailure' | 'instances'>,
  error: unknown,
): LocalShare {
  const places: (number | undefined)[] = []
  const counters: Counter[] = []
  claim.counters.forEach((counter, index) => {
    const kind = kinds[index]
    const policy = kind === undefined ? 'closed' : onStoreFailure[kind]
    if (policy === 'local') {
      places.push(counters.length)
      counters.push(shareOf(counter, instances))
    } else if (policy === 'open' || counter.dryRun) places.push(undefined)
    else
      throw new GatewayError('limiter_unavailable', { headers: { 'x-should-retry': 'true' }, cause: error })
  })
  return {
    claim: counters.length === 0 ? undefined : { ...claim, counters },
    verdict: local => ({
      allowed: local?.allowed ?? true,
      ...(local !== undefined && isFull(local) && { full: true }),
      counters: places.map((place, index) => {
        const state = place === undefined ? undefined : local?.counters[place]
        return state ?? untouched(claim.counters[index]?.limit ?? 0)
      }),
    }),
    charged: charged => charged.filter((_, index) => places[index] !== undefined),
  }
}

/**
 * A process has its share of a limit. What the limit has room for and the share has not is let in when all of the
 * share is free: it would have to wait for ever.
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

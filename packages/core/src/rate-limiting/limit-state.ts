import type { CounterState, LimitDecision } from '../contracts/limit-store.ts'
import type { LimitState } from '../contracts/limiter.ts'
import type { ReservedAmount } from '../usage/reservation.ts'
import type { PlannedCount } from './counter-resolver.ts'
import { type ReservationRequest, reservedOf } from './reservation-request.ts'

/** A count of an enforced rule, with the state from its store. */
export interface EnforcedCount {
  readonly count: PlannedCount
  readonly reserved: ReservedAmount
  readonly state: CounterState
}

/** Returns the counts of enforced rules. */
export function enforcedCounts(request: ReservationRequest, { counters }: LimitDecision): EnforcedCount[] {
  const enforced: EnforcedCount[] = []
  for (const [index, count] of request.counts.entries()) {
    const state = counters[index]
    if (state === undefined || count.rule.dryRun) continue
    enforced.push({ count, reserved: reservedOf(request, count.rule), state })
  }
  return enforced
}

/** Returns the state of the enforced limits of requests and tokens; `undefined` if there are none. */
export function limitStates(
  { counts }: ReservationRequest,
  { counters }: LimitDecision,
): LimitState[] | undefined {
  let states: LimitState[] | undefined
  for (let index = 0; index < counts.length; index++) {
    const { kind, dryRun, limit, windowMs } = counts[index]!.rule
    const state = counters[index]
    if (dryRun || state === undefined || (kind !== 'requests' && kind !== 'tokens')) continue
    const { remaining, resetMs, over: exceeded } = state
    const limitState = { kind, limit, windowMs, remaining, resetMs, exceeded }
    if (states === undefined) states = [limitState]
    else states.push(limitState)
  }
  return states
}

/** Returns the `dryRun` rules that would have rejected the request, as source text; `undefined` if there are none. */
export function dryRunRefusals(
  { counts }: ReservationRequest,
  { counters }: LimitDecision,
): string[] | undefined {
  let over: string[] | undefined
  for (let index = 0; index < counts.length; index++) {
    const rule = counts[index]?.rule
    if (rule?.dryRun === true && counters[index]?.over === true) over = [...(over ?? []), rule.text]
  }
  return over
}

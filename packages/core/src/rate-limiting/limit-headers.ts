import { duration } from '../clock/duration.ts'
import type { CounterState, LimitDecision } from '../contracts/limit-store.ts'
import type { ReservedAmount } from '../usage/reservation.ts'
import type { PlannedCount } from './counter-resolver.ts'
import { type ReservationRequest, reservedOf } from './reservation-request.ts'

/** A count, and how it stands. */
export interface StandingCount {
  readonly count: PlannedCount
  readonly reserved: ReservedAmount
  readonly state: CounterState
}

/** The counts that may refuse, and how they stand. */
export function standingCounts(room: ReservationRequest, { counters }: LimitDecision): StandingCount[] {
  const standing: StandingCount[] = []
  for (const [index, count] of room.counts.entries()) {
    const state = counters[index]
    if (state === undefined || count.rule.dryRun) continue
    standing.push({ count, reserved: reservedOf(room, count.rule), state })
  }
  return standing
}

/** The rules that only count and would have refused, as they are written; `undefined` where there are none. */
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

/**
 * What the caller is told of limits, on an answer and on a refusal alike: of each kind of rate that has least left.
 *
 * @param ietf - also the headers of draft-ietf-httpapi-ratelimit-headers.
 */
export function limitHeaders(
  room: ReservationRequest,
  verdict: LimitDecision,
  ietf: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {}
  const ofRequests = tightestOf(room, verdict, 'requests')
  if (ofRequests !== -1) {
    const state = verdict.counters[ofRequests] as CounterState
    headers['x-ratelimit-limit-requests'] = (room.counts[ofRequests] as PlannedCount).rule.limitText
    headers['x-ratelimit-remaining-requests'] = String(remainingOf(state))
    headers['x-ratelimit-reset-requests'] = resetOf(state)
  }
  const ofTokens = tightestOf(room, verdict, 'tokens')
  if (ofTokens !== -1) {
    const state = verdict.counters[ofTokens] as CounterState
    headers['x-ratelimit-limit-tokens'] = (room.counts[ofTokens] as PlannedCount).rule.limitText
    headers['x-ratelimit-remaining-tokens'] = String(remainingOf(state))
    headers['x-ratelimit-reset-tokens'] = resetOf(state)
  }
  if (ietf) Object.assign(headers, ietfHeaders(standingCounts(room, verdict)))
  return headers
}

/** The place of the one that refuses before all others, then of the one with the least share left; -1 for none. */
function tightestOf(
  { counts }: ReservationRequest,
  { counters }: LimitDecision,
  kind: 'requests' | 'tokens',
): number {
  let tightest = -1
  let least = 0
  for (let index = 0; index < counts.length; index++) {
    const rule = counts[index]?.rule
    const state = counters[index]
    if (rule?.kind !== kind || rule.dryRun || state === undefined) continue
    const share = state.remaining / rule.limit - (state.over ? 2 : 0)
    if (tightest !== -1 && share >= least) continue
    tightest = index
    least = share
  }
  return tightest
}

function ietfHeaders(standing: readonly StandingCount[]): Record<string, string> {
  const policies: string[] = []
  const limits: string[] = []
  const named = new Map<string, number>()
  for (const { count, state } of standing) {
    const { kind, limit, windowMs } = count.rule
    if (kind !== 'requests' && kind !== 'tokens') continue
    const nth = (named.get(kind) ?? 0) + 1
    named.set(kind, nth)
    const name = nth === 1 ? `"${kind}"` : `"${kind}-${nth}"`
    policies.push(`${name};q=${limit};w=${windowMs / 1_000}`)
    limits.push(`${name};r=${remainingOf(state)};t=${Math.ceil(finite(state.resetMs) / 1_000)}`)
  }
  if (policies.length === 0) return {}
  return { 'ratelimit-policy': policies.join(', '), ratelimit: limits.join(', ') }
}

function resetOf({ resetMs }: CounterState): string {
  return duration(Math.ceil(finite(resetMs)))
}

function remainingOf({ remaining }: CounterState): number {
  return Math.max(0, Math.floor(finite(remaining)))
}

/** A header holds a number, whatever a store says. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}

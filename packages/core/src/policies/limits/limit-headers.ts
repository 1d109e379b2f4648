import type { AskedCount, AskedRoom } from './asked-room.ts'
import { duration } from './duration.ts'
import type { CounterState, Verdict } from './limit-store.ts'

/** A count, and how it stands. */
export interface StandingCount {
  readonly count: AskedCount
  readonly state: CounterState
}

/** The counts that may refuse, and how they stand. */
export function standingCounts({ counts }: AskedRoom, { counters }: Verdict): StandingCount[] {
  const standing: StandingCount[] = []
  for (const [index, count] of counts.entries()) {
    const state = counters[index]
    if (state !== undefined && !count.rule.shadow) standing.push({ count, state })
  }
  return standing
}

/** The rules that only count and would have refused, as they are written; `undefined` where there are none. */
export function shadowsOver({ counts }: AskedRoom, { counters }: Verdict): string[] | undefined {
  let over: string[] | undefined
  for (const [index, { rule }] of counts.entries()) {
    if (rule.shadow && counters[index]?.over === true) over = [...(over ?? []), rule.text]
  }
  return over
}

/**
 * What the caller is told of limits, on an answer and on a refusal alike: of each kind of rate that has least left.
 *
 * @param ietf - also the headers of draft-ietf-httpapi-ratelimit-headers.
 */
export function limitHeaders(standing: readonly StandingCount[], ietf: boolean): Record<string, string> {
  const headers: Record<string, string> = {}
  const ofRequests = tightestOf(standing, 'requests')
  if (ofRequests !== undefined) {
    headers['x-ratelimit-limit-requests'] = String(ofRequests.count.rule.limit)
    headers['x-ratelimit-remaining-requests'] = String(remainingOf(ofRequests.state))
    headers['x-ratelimit-reset-requests'] = resetOf(ofRequests.state)
  }
  const ofTokens = tightestOf(standing, 'tokens')
  if (ofTokens !== undefined) {
    headers['x-ratelimit-limit-tokens'] = String(ofTokens.count.rule.limit)
    headers['x-ratelimit-remaining-tokens'] = String(remainingOf(ofTokens.state))
    headers['x-ratelimit-reset-tokens'] = resetOf(ofTokens.state)
  }
  if (ietf) Object.assign(headers, ietfHeaders(standing))
  return headers
}

/** The one that refuses before all others, then the one with the least share left. */
function tightestOf(
  standing: readonly StandingCount[],
  kind: 'requests' | 'tokens',
): StandingCount | undefined {
  let tightest: StandingCount | undefined
  for (const one of standing) {
    if (one.count.rule.kind !== kind) continue
    if (tightest === undefined || shareOf(one) < shareOf(tightest)) tightest = one
  }
  return tightest
}

function shareOf({ count, state }: StandingCount): number {
  const share = state.remaining / count.rule.limit
  return state.over ? share - 2 : share
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

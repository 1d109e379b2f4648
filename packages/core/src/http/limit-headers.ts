import { duration } from '../clock/duration.ts'
import type { Lease, LimitState } from '../contracts/limiter.ts'
import { memberOf } from '../primitives/own-members.ts'

type Headers = Readonly<Record<string, string>>

const noLimits: readonly LimitState[] = []
const noHeaders: Headers = Object.freeze({})

/**
 * Returns the response headers of a lease or of a rejected request: `x-ratelimit-*` for the tightest limit of each kind,
 * and with `ietfHeaders` those of draft-ietf-httpapi-ratelimit-headers for all limits. The lease's own headers replace
 * both.
 */
export function limitHeaders(lease: Pick<Lease, 'limits' | 'ietfHeaders' | 'headers'>): Headers {
  // Only own members: a library may have written to `Object.prototype`.
  const limits = memberOf(lease, 'limits') ?? noLimits
  const own = memberOf(lease, 'headers')
  if (limits.length === 0) return own === undefined ? noHeaders : { ...own }
  const headers: Record<string, string> = {}
  const ofRequests = tightest(limits, 'requests')
  if (ofRequests !== undefined) {
    headers['x-ratelimit-limit-requests'] = String(ofRequests.limit)
    headers['x-ratelimit-remaining-requests'] = String(wholeNumber(ofRequests.remaining))
    headers['x-ratelimit-reset-requests'] = duration(Math.ceil(finite(ofRequests.resetMs)))
  }
  const ofTokens = tightest(limits, 'tokens')
  if (ofTokens !== undefined) {
    headers['x-ratelimit-limit-tokens'] = String(ofTokens.limit)
    headers['x-ratelimit-remaining-tokens'] = String(wholeNumber(ofTokens.remaining))
    headers['x-ratelimit-reset-tokens'] = duration(Math.ceil(finite(ofTokens.resetMs)))
  }
  if (memberOf(lease, 'ietfHeaders') === true) addIetfHeaders(headers, limits)
  return own === undefined ? headers : Object.assign(headers, own)
}

/** Returns the limit that rejected the request, else the one with the smallest share left. */
export function tightest(limits: readonly LimitState[], kind: LimitState['kind']): LimitState | undefined {
  let found: LimitState | undefined
  let least = 0
  for (const state of limits) {
    if (state.kind !== kind) continue
    const share = state.remaining / state.limit - (state.exceeded === true ? 2 : 0)
    if (found !== undefined && share >= least) continue
    found = state
    least = share
  }
  return found
}

function addIetfHeaders(headers: Record<string, string>, limits: readonly LimitState[]): void {
  const policies: string[] = []
  const states: string[] = []
  const named = { requests: 0, tokens: 0 }
  for (const { kind, limit, windowMs, remaining, resetMs } of limits) {
    const nth = ++named[kind]
    const name = nth === 1 ? `"${kind}"` : `"${kind}-${nth}"`
    policies.push(`${name};q=${limit};w=${windowMs / 1_000}`)
    states.push(`${name};r=${wholeNumber(remaining)};t=${Math.ceil(finite(resetMs) / 1_000)}`)
  }
  headers['ratelimit-policy'] = policies.join(', ')
  headers.ratelimit = states.join(', ')
}

/** Returns a count for a header: a store or a limiter may return `NaN` or `Infinity`. */
export function wholeNumber(value: number): number {
  return Math.max(0, Math.floor(finite(value)))
}

/** A store or a limiter may return `NaN` or `Infinity`; a header holds a number. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}

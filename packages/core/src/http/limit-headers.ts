import { duration } from '../clock/duration.ts'
import type { DialectEndpoint } from '../contracts/dialect.ts'
import type { Lease, LimitState } from '../contracts/limiter.ts'
import type { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'

type Headers = Readonly<Record<string, string>>

/** The limits that a response reports. */
export type LimitReport = Pick<Lease, 'limits' | 'ietfHeaders' | 'headers'>

const noLimits: readonly LimitState[] = []
const noHeaders: Headers = Object.freeze({})
/** Global, so that a rejection of another copy of this package is read too. */
const reported = Symbol.for('sluice.limits')

/**
 * Returns the response headers of a lease or of a rejected request: those of the dialect, by default `x-ratelimit-*` for the
 * tightest limit of each kind, and with `ietfHeaders` those of draft-ietf-httpapi-ratelimit-headers for all limits. The
 * lease's own headers replace both.
 *
 * @param now - milliseconds since 1970.
 */
export function limitHeaders(
  report: LimitReport,
  dialect: Pick<DialectEndpoint, 'limitHeaders'> | undefined,
  now: () => number,
): Headers {
  // Only own members: a library may have written to `Object.prototype`.
  const limits = memberOf(report, 'limits') ?? noLimits
  const own = memberOf(report, 'headers')
  if (limits.length === 0) return own === undefined ? noHeaders : { ...own }
  const headers: Record<string, string> =
    dialect?.limitHeaders === undefined ? defaultHeaders(limits) : { ...dialect.limitHeaders(limits, now()) }
  if (memberOf(report, 'ietfHeaders') === true) addIetfHeaders(headers, limits)
  return own === undefined ? headers : Object.assign(headers, own)
}

/** Makes the response of an error report limits, in the headers of its dialect. Returns the error. */
export function reportLimits(error: GatewayError, report: LimitReport): GatewayError {
  return Object.defineProperty(error, reported, { value: report })
}

/** Returns the limits that an error reports; `undefined` if there are none. */
export function reportedLimits(error: GatewayError): LimitReport | undefined {
  return (error as { readonly [reported]?: LimitReport })[reported]
}

function defaultHeaders(limits: readonly LimitState[]): Record<string, string> {
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
  return headers
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

/** Returns 0 for the `NaN` or `Infinity` of a store or a limiter: a header holds a number. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}

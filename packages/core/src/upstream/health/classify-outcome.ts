import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'

/** The effect of a call on the health of its target. */
export type AttemptClassification =
  | { readonly kind: 'success' | 'neutral' }
  /**
   * `own`: this process may be the one that cannot connect or authenticate: the failure is not shared. `answered`: the
   * target answered with an error, which may be the fault of the request.
   */
  | { readonly kind: 'failure'; readonly own: boolean; readonly answered: boolean }
  /** The target is not called for a while, and has not failed. `retryAfter`: it sent that header. */
  | { readonly kind: 'cooldown'; readonly ms: number; readonly own: boolean; readonly retryAfter: boolean }

const success: AttemptClassification = { kind: 'success' }
const failure: AttemptClassification = { kind: 'failure', own: false, answered: true }
const forbidden: AttemptClassification = { kind: 'failure', own: true, answered: true }
const broken: AttemptClassification = { kind: 'failure', own: false, answered: false }
const noConnection: AttemptClassification = { kind: 'failure', own: true, answered: false }
const neutral: AttemptClassification = { kind: 'neutral' }

/** The range of cooldowns, in milliseconds. */
export const cooldownMs = { least: 1_000, most: 60_000 }

/**
 * Returns the effect of a call on the health of its target. `answered`: its first content had arrived.
 *
 * Only faults of the upstream count. An unknown error may be the fault of this process or of the request: a request that a
 * provider cannot encode must not make a target unavailable for others.
 */
export function classifyOutcome(error: unknown, answered: boolean): AttemptClassification {
  if (error === undefined) return success
  if (UpstreamError.is(error)) return ofUpstream(error, answered)
  return GatewayError.is(error) && error.status >= 500 ? failure : neutral
}

/** Whether a call failed because of its key, or may have: it was rejected, has no credit, or is limited. */
export function isOfKey(classification: AttemptClassification): boolean {
  return classification.kind === 'cooldown' || classification === forbidden
}

function ofUpstream(error: UpstreamError, answered: boolean): AttemptClassification {
  // Both ends may close an idle connection at the same time: that is no fault.
  if (error.staleConnection) return neutral
  if (isLocalShortage(error)) return neutral
  // It answered until the deadline of the request.
  if (error.kind === 'total_timeout' && answered) return neutral
  if (error.kind === 'unreachable' || error.kind === 'connect_timeout') return noConnection
  if (error.kind === 'garbled') return failure
  return error.kind === 'refused' ? ofStatus(error) : broken
}

function ofStatus(error: UpstreamError): AttemptClassification {
  const { status, code, retryAfterMs } = error
  if (isTooLarge(error)) return neutral
  // A refused key or an empty account does not recover within a second.
  if (status === 401 || status === 402 || code === 'insufficient_quota') {
    return { kind: 'cooldown', ms: cooldownMs.most, own: true, retryAfter: false }
  }
  if (status === 429) {
    const sent = retryAfterMs !== undefined && retryAfterMs >= 0
    return { kind: 'cooldown', ms: within(retryAfterMs), own: false, retryAfter: sent }
  }
  // A 403 may be due to the key, or to a single prompt at some vendors: it takes several to open the breaker.
  if (status === 403) return forbidden
  if (status === 408) return failure
  return status !== undefined && status >= 400 && status < 500 ? neutral : failure
}

/** Whether this machine has no socket or port left, which is not the upstream's fault. */
function isLocalShortage({ cause }: UpstreamError): boolean {
  return hasCode(cause) && localShortages.has(cause.code)
}

const localShortages: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'ENOBUFS',
  'ENOMEM',
])

function hasCode(value: unknown): value is { readonly code: unknown } {
  return typeof value === 'object' && value !== null && 'code' in value
}

/** An invalid time counts as absent. */
function within(ms = cooldownMs.least): number {
  return Math.min(Math.max(ms, cooldownMs.least), cooldownMs.most) || cooldownMs.least
}

/** Vendors' messages about what an account can still pay for: "You requested up to 65536 tokens, but can only afford 30104". */
const affordable = /\bcan only afford \d/i

/** Vendors' messages about a request that exceeds the rate of its account by itself. */
const aboveRate = /\brequest too large\b|\btokens must be reduced\b/i

/**
 * Whether an upstream refuses one request for its size, by a status that otherwise speaks of the account: a smaller one
 * may be answered at once.
 */
export function isTooLarge({ kind, status, code, vendorMessage }: UpstreamError): boolean {
  if (kind !== 'refused' || vendorMessage === undefined) return false
  if (status === 402) return affordable.test(vendorMessage)
  return status === 429 && code !== 'insufficient_quota' && aboveRate.test(vendorMessage)
}

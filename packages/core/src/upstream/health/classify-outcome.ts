import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'

/** What the end of a call says of its target. */
type AttemptClassification =
  | { readonly kind: 'success' | 'neutral' }
  /**
   * `own`: it may be this process that cannot reach it, or is not let in: other processes are not told. `answered`: it
   * answered with an error, which may be the fault of the request.
   */
  | { readonly kind: 'failure'; readonly own: boolean; readonly answered: boolean }
  /** It is to be left alone for a while, and has not failed. `asked`: it said for how long. */
  | { readonly kind: 'cooldown'; readonly ms: number; readonly own: boolean; readonly asked: boolean }

const success: AttemptClassification = { kind: 'success' }
const failure: AttemptClassification = { kind: 'failure', own: false, answered: true }
const refusal: AttemptClassification = { kind: 'failure', own: true, answered: true }
const broken: AttemptClassification = { kind: 'failure', own: false, answered: false }
const noConnection: AttemptClassification = { kind: 'failure', own: true, answered: false }
const neutral: AttemptClassification = { kind: 'neutral' }

/** A pause that an upstream asks for is obeyed within these, in milliseconds. */
export const cooldownMs = { least: 1_000, most: 60_000 }

/**
 * What the end of a call says of its target. `answered`: its first content had come.
 *
 * Only an upstream's own doing counts. What is unknown may be a fault of this process or of the request, and says
 * nothing: a request that a provider cannot write must not close a target for others.
 */
export function classifyOutcome(error: unknown, answered: boolean): AttemptClassification {
  if (error === undefined) return success
  if (UpstreamError.is(error)) return ofUpstream(error, answered)
  return GatewayError.is(error) && error.status >= 500 ? failure : neutral
}

function ofUpstream(error: UpstreamError, answered: boolean): AttemptClassification {
  // Both ends may close a kept connection at the same time: that is nobody's fault.
  if (error.staleConnection) return neutral
  if (isOwnLack(error)) return neutral
  // It answered for as long as it was let.
  if (error.kind === 'total_timeout' && answered) return neutral
  if (error.kind === 'unreachable' || error.kind === 'connect_timeout') return noConnection
  if (error.kind === 'garbled') return failure
  return error.kind === 'refused' ? ofStatus(error) : broken
}

function ofStatus(error: UpstreamError): AttemptClassification {
  const { status, code, retryAfterMs } = error
  if (isTooLarge(error)) return neutral
  // Neither a key that is refused nor an account without means mends itself in a second.
  if (status === 401 || status === 402 || code === 'insufficient_quota') {
    return { kind: 'cooldown', ms: cooldownMs.most, own: true, asked: false }
  }
  if (status === 429) {
    const asked = retryAfterMs !== undefined && retryAfterMs >= 0
    return { kind: 'cooldown', ms: within(retryAfterMs), own: false, asked }
  }
  // A 403 may be the key's fault, or what some vendors say of one prompt: it takes several to close a target.
  if (status === 403) return refusal
  if (status === 408) return failure
  return status !== undefined && status >= 400 && status < 500 ? neutral : failure
}

/** This machine has no socket or no port left: that is not the upstream's fault. */
function isOwnLack({ cause }: UpstreamError): boolean {
  return hasCode(cause) && ownLacks.has(cause.code)
}

const ownLacks: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

function hasCode(value: unknown): value is { readonly code: unknown } {
  return typeof value === 'object' && value !== null && 'code' in value
}

/** A time that is none counts as none told. */
function within(ms = cooldownMs.least): number {
  return Math.min(Math.max(ms, cooldownMs.least), cooldownMs.most) || cooldownMs.least
}

/** How vendors say what the account still pays for: "You requested up to 65536 tokens, but can only afford 30104". */
const affordable = /\bcan only afford \d/i

/** How vendors say that a request alone is more than its account's rate. */
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

import type { TargetRow } from '../../src/api.ts'

const reasons: Readonly<Record<string, string>> = {
  rate_limited: 'rate limited by the provider (429)',
  upstream_auth: 'the provider rejects the credentials of this gateway',
  insufficient_quota: 'the quota at the provider is used up',
  overloaded: 'the provider returns errors',
  credentials_refused: 'the provider rejects the credentials of this gateway (401)',
  access_denied: 'the provider denies access (403)',
  quota_exhausted: 'the quota at the provider is used up',
  unreachable: 'connection failed',
  connect_timeout: 'connection timed out',
  first_byte_timeout: 'timed out before the first byte',
  idle_timeout: 'timed out in the middle of the response',
  total_timeout: 'the response took too long',
  truncated: 'the response was cut off',
  garbled: 'the response was malformed',
  refused: 'the provider returned an error',
}

/** Returns the label of a reason; an unknown reason as it is. */
export function reasonText(reason: string): string {
  const status = /^http_(\d{3})$/.exec(reason)?.[1]
  if (status !== undefined) return `the provider returned ${status}`
  return Object.hasOwn(reasons, reason) ? reasons[reason]! : reason.replaceAll('_', ' ')
}

/** Reasons that open a circuit breaker at the first failure; others take several. */
const plain: ReadonlySet<string> = new Set([
  'upstream_auth',
  'insufficient_quota',
  'credentials_refused',
  'access_denied',
  'quota_exhausted',
])

/** Returns the label of a state, with its reason where that is known. */
export function stateText({ state, reason, waitMs }: Pick<TargetRow, 'state' | 'reason' | 'waitMs'>): string {
  switch (state) {
    case 'closed':
      return 'Available'
    case 'cooldown':
      return reason === undefined ? 'Cooldown' : `Cooldown: ${reasonText(reason)}`
    case 'open':
      if (reason === undefined) return 'Open: too many failures'
      return plain.has(reason)
        ? `Open: ${reasonText(reason)}`
        : `Open: too many failures, last: ${reasonText(reason)}`
    case 'half_open':
      return waitMs > 0 ? 'Half-open: a probe is running' : 'Half-open: the next call is a probe'
    default:
      return state
  }
}

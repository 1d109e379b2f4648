import type { TargetRow } from '../../src/api.ts'

const reasons: Readonly<Record<string, string>> = {
  rate_limited: 'the provider limits the rate (429)',
  upstream_auth: "the provider refuses this gateway's credentials",
  insufficient_quota: 'the quota at the provider is used up',
  overloaded: 'the provider answers with errors',
  credentials_refused: "the provider refuses this gateway's credentials (401)",
  access_denied: 'the provider denies access (403)',
  quota_exhausted: 'the quota at the provider is used up',
  unreachable: 'no connection',
  connect_timeout: 'no connection in time',
  first_byte_timeout: 'no answer in time',
  idle_timeout: 'the answer stopped in the middle',
  total_timeout: 'the answer took too long',
  truncated: 'the answer broke off',
  garbled: 'the answer was not readable',
  refused: 'the provider answered with an error',
}

/** A reason in words; one that is not known here as it is. */
export function reasonText(reason: string): string {
  const status = /^http_(\d{3})$/.exec(reason)?.[1]
  if (status !== undefined) return `the provider answered ${status}`
  return Object.hasOwn(reasons, reason) ? reasons[reason]! : reason.replaceAll('_', ' ')
}

/** Failures that are told by the first of them: what else may open a breaker takes several. */
const plain: ReadonlySet<string> = new Set([
  'upstream_auth',
  'insufficient_quota',
  'credentials_refused',
  'access_denied',
  'quota_exhausted',
])

/** What state a target is in, and why as far as that is known. */
export function stateText({ state, reason, waitMs }: Pick<TargetRow, 'state' | 'reason' | 'waitMs'>): string {
  switch (state) {
    case 'closed':
      return 'Available'
    case 'cooldown':
      return reason === undefined ? 'Paused' : `Paused: ${reasonText(reason)}`
    case 'open':
      if (reason === undefined) return 'Open: too many failures'
      return plain.has(reason)
        ? `Open: ${reasonText(reason)}`
        : `Open: too many failures, last: ${reasonText(reason)}`
    case 'half_open':
      return waitMs > 0 ? 'Half open: a trial call is running' : 'Half open: the next call is a trial'
    default:
      return state
  }
}

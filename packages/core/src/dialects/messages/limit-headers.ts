import type { LimitState } from '../../contracts/limiter.ts'
import { finite, tightest, wholeNumber } from '../../http/limit-headers.ts'
import { rfc3339 } from './rfc3339.ts'

/** Returns the headers of the tightest limit of each kind. `now`: milliseconds since 1970. */
export function messagesLimitHeaders(limits: readonly LimitState[], now: number): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const kind of ['requests', 'tokens'] as const) {
    const state = tightest(limits, kind)
    if (state === undefined) continue
    headers[`anthropic-ratelimit-${kind}-limit`] = String(state.limit)
    headers[`anthropic-ratelimit-${kind}-remaining`] = String(wholeNumber(state.remaining))
    headers[`anthropic-ratelimit-${kind}-reset`] = rfc3339((now + finite(state.resetMs)) / 1_000)
  }
  return headers
}

import type { LimitState } from '../../contracts/limiter.ts'
import { tightest, wholeNumber } from '../../http/limit-headers.ts'
import { rfc3339 } from './rfc3339.ts'
import { limitHeaderPrefix } from './wire-names.ts'

/**
 * Returns the headers that report limits: for requests and for tokens the tightest limit, with what is left of it, and when it
 * is available again, as a date in whole seconds.
 *
 * @param now - milliseconds since 1970.
 */
export function messagesLimitHeaders(
  limits: readonly LimitState[],
  now: number,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const kind of ['requests', 'tokens'] as const) {
    const state = tightest(limits, kind)
    if (state === undefined) continue
    const name = `${limitHeaderPrefix}-${kind}`
    headers[`${name}-limit`] = String(state.limit)
    headers[`${name}-remaining`] = String(wholeNumber(state.remaining))
    headers[`${name}-reset`] = rfc3339((now + wholeNumber(state.resetMs)) / 1_000)
  }
  return headers
}

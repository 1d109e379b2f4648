import type { LimitState } from '../../contracts/limiter.ts'
import { tightest, wholeNumber } from '../../http/limit-headers.ts'
import { limitHeaderPrefix } from './wire-names.ts'

/** Later ones cannot be written as a date. */
const latest = 8_640_000_000_000_000

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
    headers[`${name}-reset`] = dateOf(now + wholeNumber(state.resetMs))
  }
  return headers
}

/** Rounded up, so that a client that waits until then does not come too early. */
function dateOf(ms: number): string {
  const seconds = Math.ceil(Math.min(ms, latest - 1_000) / 1_000)
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}

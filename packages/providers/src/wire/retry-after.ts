import type { UpstreamResponse } from '@sluice/core'
import { exhaustedMs } from './exhausted-limits.ts'
import { decimalOf, momentOf, sensible } from './waits.ts'

/**
 * How long a vendor asks to wait, in milliseconds; `undefined` where it does not say. The first of these that makes
 * sense counts:
 *
 * 1. `retry-after-ms`, which OpenAI and Azure send beside the next one because it is finer.
 * 2. `retry-after`, in seconds or as an HTTP date (RFC 9110, section 10.2.3). A date gone by is 0.
 * 3. When the limit that is used up is full again: see `exhaustedMs`.
 *
 * What is negative, longer than a day, or no time at all makes no sense.
 */
export function retryAfterMs(headers: UpstreamResponse['headers'], now: () => number): number | undefined {
  return (
    sensible(decimalOf(headers.get('retry-after-ms'))) ??
    sensible(told(headers.get('retry-after'), now)) ??
    exhaustedMs(headers, now)
  )
}

function told(value: string | null, now: () => number): number | undefined {
  const seconds = decimalOf(value)
  return seconds === undefined ? momentOf(dated(value?.trim() ?? ''), now) : seconds * 1000
}

/** An HTTP date with its zone; an empty text for anything else, of which `Date.parse` would read too much. */
function dated(value: string): string {
  if (/^[A-Z][a-z]+, .+ GMT$/.test(value)) return value
  // The form of C's `asctime`, which is GMT too.
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value) ? `${value} GMT` : ''
}

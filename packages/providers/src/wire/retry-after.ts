import type { UpstreamResponse } from '@sluice/core'

/**
 * How long a vendor asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as an
 * HTTP date (RFC 9110, section 10.2.3); `undefined` where it does not say or makes no sense.
 */
export function retryAfterMs(headers: UpstreamResponse['headers'], now: () => number): number | undefined {
  const precise = decimal(headers.get('retry-after-ms'))
  if (precise !== undefined) return precise
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = decimal(value)
  if (seconds !== undefined) return seconds * 1000
  const at = Date.parse(dated(value.trim()))
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}

/** An HTTP date with its zone; an empty text for anything else, of which `Date.parse` would read too much. */
function dated(value: string): string {
  if (/^[A-Z][a-z]+, .+ GMT$/.test(value)) return value
  // The form of C's `asctime`, which is GMT too.
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value) ? `${value} GMT` : ''
}

function decimal(value: string | null): number | undefined {
  return value !== null && /^\s*\d{1,12}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

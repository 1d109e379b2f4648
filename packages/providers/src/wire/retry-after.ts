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
  if (!/^[A-Z][a-z]+, /.test(value.trim())) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}

function decimal(value: string | null): number | undefined {
  return value !== null && /^\s*\d{1,12}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

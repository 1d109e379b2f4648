/** Formats milliseconds for the `x-ratelimit-reset-*` headers: `0s`, `120ms`, `8.64s`, `1m30s`, `6m0s`. */
export function duration(ms: number): string {
  const rounded = Math.max(0, Math.round(ms))
  if (rounded === 0) return '0s'
  if (rounded < 1_000) return `${rounded}ms`
  const hours = Math.floor(rounded / 3_600_000)
  const minutes = Math.floor((rounded % 3_600_000) / 60_000)
  const seconds = (rounded % 60_000) / 1_000
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : ''
  return `${head}${seconds}s`
}

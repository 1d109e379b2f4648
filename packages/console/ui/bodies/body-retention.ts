const dayMs = 86_400_000
const writeMs = 4_000

/**
 * Reads bodies, again for a few seconds after the request has ended: they are written beside it. `endedAt` is in milliseconds since
 * 1970. Resolves to `null` if none are stored.
 */
export async function awaitBodies<T>(
  read: () => Promise<T | null>,
  endedAt: number,
  signal: AbortSignal,
  pollMs = 500,
): Promise<T | null> {
  // The clock of the server may be ahead of this one.
  const until = Math.min(endedAt, Date.now()) + writeMs
  for (;;) {
    const found = await read()
    if (found !== null || Date.now() > until || signal.aborted) return found
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
}

/** A retention period: `7 days`, `12 hours`, `90 seconds`. */
export function retentionText(ms: number): string {
  const [unitMs, unit] =
    ms >= dayMs ? [dayMs, 'day'] : ms >= 3_600_000 ? [3_600_000, 'hour'] : [1_000, 'second']
  const units = Number((ms / unitMs).toFixed(1))
  return `${units} ${unit}${units === 1 ? '' : 's'}`
}

const dayMs = 86_400_000

/** Milliseconds that somebody may be asked to wait: from 0 to a day. */
export function sensible(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= dayMs ? ms : undefined
}

/** A number from 0, written with digits. */
export function decimalOf(value: string | null): number | undefined {
  return value !== null && /^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(value) ? Number(value) : undefined
}

/** How long it is until a date, in milliseconds: 0 where it has gone by. */
export function momentOf(date: string, now: () => number): number | undefined {
  const at = Date.parse(date)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}

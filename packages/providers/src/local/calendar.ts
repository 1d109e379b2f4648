export const day = 86_400_000

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** How far a day is moved. */
export interface Span {
  readonly months: number
  readonly days: number
}

/** A day as `2024-02-29`. */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

export function weekdayOf(ms: number): string {
  return weekdays[new Date(ms).getUTCDay()] ?? ''
}

export function startOfDay(ms: number): number {
  return Math.floor(ms / day) * day
}

/** Milliseconds since 1970. `undefined` for a day that the calendar does not have, such as 31 April. */
export function toDay(year: number, month: number, date: number): number | undefined {
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, date)
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date ? at.getTime() : undefined
}

/**
 * A day moved by months and then by days. Where the month has no such day, its last one is meant, and
 * `clamped` is the day that it lacks. `ms` is `NaN` outside the years 1 to 9999.
 */
export function moveDay(
  ms: number,
  { months, days }: Span,
): { readonly ms: number; readonly clamped?: number } {
  const at = new Date(ms)
  const wanted = at.getUTCDate()
  at.setUTCDate(1)
  at.setUTCMonth(at.getUTCMonth() + months)
  const last = new Date(Date.UTC(2000, 0, 1))
  last.setUTCFullYear(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)
  at.setUTCDate(Math.min(wanted, last.getUTCDate()))
  const moved = within(at.getTime() + days * day)
  return wanted > last.getUTCDate() ? { ms: moved, clamped: wanted } : { ms: moved }
}

function within(ms: number): number {
  return ms >= -62_135_596_800_000 && ms < 253_402_300_800_000 ? ms : Number.NaN
}

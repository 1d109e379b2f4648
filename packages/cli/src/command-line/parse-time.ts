import { CommandError } from '../command.ts'
import { printable } from './printable.ts'

/**
 * A moment as it is typed, in milliseconds since 1970: a date, which begins at midnight UTC (`2026-12-31`); a time with its
 * zone (`2026-12-31T08:00Z`); or a span from now, into the future or the past (`30d`). Throws `CommandError` with the exit
 * code 2 for what is none.
 */
export function parseTime(option: string, text: string, now: number, direction: 1 | -1): number {
  const span = parseDuration(text)
  if (span !== undefined) return now + direction * span
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text)
  const at = isDate || isTime ? Date.parse(text) : Number.NaN
  // Of the 31st of February `Date` makes another day.
  const day = text.slice(0, 10)
  const real = !Number.isNaN(at) && new Date(day).toISOString().startsWith(day)
  if (real) return at
  throw new CommandError(
    `${option} is '${printable(text)}', expected a date (2026-12-31), a time with its zone (2026-12-31T08:00Z), or a duration such as 12h, 30d or 2w.`,
    2,
  )
}

const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Parses a duration to milliseconds: `90s`, `5m`, `1h`, `30d`, `2w`; `undefined` for other texts. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  const ms = Number(count) * (units[unit] ?? Number.NaN)
  return Number.isSafeInteger(ms) ? ms : undefined
}

import { CommandFault } from '../command.ts'
import { shown } from './shown.ts'
import { spanOf } from './span-of.ts'

/**
 * A moment as it is typed, in milliseconds since 1970: a date, which begins at midnight UTC (`2026-12-31`); a time with its
 * zone (`2026-12-31T08:00Z`); or a span from now, into the future or the past (`30d`). Throws `CommandFault` with the exit
 * code 2 for what is none.
 */
export function momentOf(option: string, text: string, now: number, direction: 1 | -1): number {
  const span = spanOf(text)
  if (span !== undefined) return now + direction * span
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text)
  const at = isDate || isTime ? Date.parse(text) : Number.NaN
  // Of the 31st of February `Date` makes another day.
  const real = !Number.isNaN(at) && (!isDate || new Date(at).toISOString().startsWith(text))
  if (real) return at
  throw new CommandFault(
    `${option} is '${shown(text)}', expected a date (2026-12-31), a time with its zone (2026-12-31T08:00Z), or a span such as 12h, 30d or 2w.`,
    2,
  )
}

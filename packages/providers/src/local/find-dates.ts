import { day, startOfDay, toDay } from './calendar.ts'

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)

/** A day found in a text: its milliseconds since 1970 at 00:00 UTC, and where it stood. */
export interface FoundDate {
  readonly ms: number
  readonly at: number
  readonly text: string
}

/** The dates that a text names, in its order: `2024-02-29`, `29 February 2024`, `Feb 29, 2024`, `today`. */
export function findDates(text: string, now: number): FoundDate[] {
  return namedDates(text, now).filter((date): date is FoundDate => date.ms !== undefined)
}

/** The same, with the dates that the calendar does not have: those are without `ms`. */
export function namedDates(
  text: string,
  now: number,
): { readonly ms: number | undefined; readonly at: number; readonly text: string }[] {
  const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]{0,6}'
  const pattern = new RegExp(
    `\\b(\\d{4})-(\\d{2})-(\\d{2})(?!\\d)|\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${month})\\.?,? (\\d{4})\\b|\\b(${month})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b|\\b(today|tomorrow|yesterday)\\b`,
    'gi',
  )
  return Array.from(text.matchAll(pattern), match => ({
    ms: match[10]
      ? startOfDay(now) + { today: 0, tomorrow: day, yesterday: -day }[match[10].toLowerCase() as 'today']
      : match[1]
        ? toDay(Number(match[1]), Number(match[2]), Number(match[3]))
        : match[5]
          ? toDay(Number(match[6]), monthNumber(match[5]), Number(match[4]))
          : toDay(Number(match[9]), monthNumber(match[7] ?? ''), Number(match[8])),
    at: match.index,
    text: match[0],
  }))
}

function monthNumber(name: string): number {
  const found = months.findIndex(
    month => month === name.toLowerCase() || month.slice(0, 3) === name.toLowerCase(),
  )
  return name.toLowerCase() === 'sept' ? 9 : found + 1
}

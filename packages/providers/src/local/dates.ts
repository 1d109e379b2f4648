const day = 86_400_000
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = 'january february march april may june july august september october november december'.split(
  ' ',
)

/** A day found in a text: its milliseconds since 1970 at 00:00 UTC, and where it stood. */
export interface FoundDate {
  readonly ms: number
  readonly at: number
  readonly text: string
}

/**
 * Answers a question about dates: the day of the week, the days between two dates, a date plus or minus some
 * days, weeks, months or years, leap years, today. All in UTC; `now` is in milliseconds since 1970.
 * `undefined` where the text asks nothing of the kind.
 */
export function answerDates(text: string, now: number): string | undefined {
  if (text.length > 1_000) return undefined
  const asked = text.toLowerCase()
  const leap = /\b(?:is|was|will) (?:the year )?(\d{4})(?: be)? a leap[ -]year/.exec(asked)
  if (leap) {
    const year = Number(leap[1])
    return `${year} is ${isLeapYear(year) ? '' : 'not '}a leap year.`
  }
  if (/\bwhat(?: is|'s)? (?:the )?(?:current )?time\b|\bwhat time is it\b/.test(asked)) {
    return `It is ${new Date(now).toISOString().slice(11, 16)} UTC.`
  }
  if (
    /\bwhat day is it\b|\bwhat(?: is|'s) (?:the date|today)\b|\btoday's date\b|\bwhat date is it\b/.test(
      asked,
    )
  ) {
    return `Today is ${weekdayOf(now)}, ${isoDate(now)} (UTC).`
  }
  const found = findDates(text, now)
  const [first, second] = found
  if (!first) return undefined
  if (
    second &&
    /\b(?:between|from|until|till|difference)\b/.test(asked) &&
    /\bdays?\b|\bweeks?\b|\blong\b/.test(asked)
  ) {
    const days = Math.abs(Math.round((second.ms - first.ms) / day))
    return `There ${days === 1 ? 'is 1 day' : `are ${days} days`} between ${isoDate(first.ms)} and ${isoDate(second.ms)}.`
  }
  if (/\bhow (?:many days|long)\b.{0,20}\b(?:until|till|to|since)\b/.test(asked)) {
    const days = Math.abs(Math.round((first.ms - startOfDay(now)) / day))
    return `There ${days === 1 ? 'is 1 day' : `are ${days} days`} between ${isoDate(now)} and ${isoDate(first.ms)}.`
  }
  const shift = /\b(\d{1,5}) (day|week|month|year)s?\b/.exec(asked)
  if (shift && /\b(?:plus|add|after|from|minus|before|subtract|ago)\b|[+-] ?\d/.test(asked)) {
    const sign = /\b(?:minus|before|subtract|ago)\b|- ?\d{1,5} (?:day|week|month|year)/.test(asked) ? -1 : 1
    const moved = addTo(first.ms, sign * Number(shift[1]), shift[2] as 'day' | 'week' | 'month' | 'year')
    if (!Number.isFinite(moved)) return undefined
    return `${shift[1]} ${shift[2]}${shift[1] === '1' ? '' : 's'} ${sign < 0 ? 'before' : 'after'} ${isoDate(first.ms)} is ${isoDate(moved)}, a ${weekdayOf(moved)}.`
  }
  if (/\b(?:what|which) (?:day|weekday|day of the week)\b|\bday of the week\b|\bweekday\b/.test(asked)) {
    return `${isoDate(first.ms)} is a ${weekdayOf(first.ms)}.`
  }
  return undefined
}

/** The dates that a text names, in its order: `2024-02-29`, `29 February 2024`, `Feb 29, 2024`, `today`. */
export function findDates(text: string, now: number): FoundDate[] {
  const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]{0,6}'
  const pattern = new RegExp(
    `\\b(\\d{4})-(\\d{2})-(\\d{2})(?!\\d)|\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${month})\\.?,? (\\d{4})\\b|\\b(${month})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b|\\b(today|tomorrow|yesterday)\\b`,
    'gi',
  )
  const found: FoundDate[] = []
  for (const match of text.matchAll(pattern)) {
    const ms = match[10]
      ? startOfDay(now) + { today: 0, tomorrow: day, yesterday: -day }[match[10].toLowerCase() as 'today']
      : match[1]
        ? toDay(Number(match[1]), Number(match[2]), Number(match[3]))
        : match[5]
          ? toDay(Number(match[6]), monthNumber(match[5]), Number(match[4]))
          : toDay(Number(match[9]), monthNumber(match[7] ?? ''), Number(match[8]))
    if (ms !== undefined) found.push({ ms, at: match.index, text: match[0] })
  }
  return found
}

/** A day as `2024-02-29`. */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

function weekdayOf(ms: number): string {
  return weekdays[new Date(ms).getUTCDay()] ?? ''
}

function startOfDay(ms: number): number {
  return Math.floor(ms / day) * day
}

function monthNumber(name: string): number {
  const found = months.findIndex(
    month => month === name.toLowerCase() || month.slice(0, 3) === name.toLowerCase(),
  )
  return name.toLowerCase() === 'sept' ? 9 : found + 1
}

/** `undefined` for a day that the calendar does not have, such as 31 April. */
function toDay(year: number, month: number, date: number): number | undefined {
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, date)
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date ? at.getTime() : undefined
}

function addTo(ms: number, count: number, unit: 'day' | 'week' | 'month' | 'year'): number {
  if (unit === 'day' || unit === 'week') return within(ms + count * day * (unit === 'week' ? 7 : 1))
  const at = new Date(ms)
  const wanted = at.getUTCDate()
  at.setUTCDate(1)
  at.setUTCMonth(at.getUTCMonth() + count * (unit === 'year' ? 12 : 1))
  // 31 January plus a month is the last day of February.
  const last = new Date(Date.UTC(2000, 0, 1))
  last.setUTCFullYear(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)
  at.setUTCDate(Math.min(wanted, last.getUTCDate()))
  return within(at.getTime())
}

/** `NaN` outside the years 1 to 9999. */
function within(ms: number): number {
  return ms >= -62_135_596_800_000 && ms < 253_402_300_800_000 ? ms : Number.NaN
}

import { day, isLeapYear, isoDate, moveDay, startOfDay, weekdayOf } from './calendar.ts'
import { type FoundDate, findDates, namedDates } from './find-dates.ts'

/**
 * Answers a question about dates: the day of the week, the days or weeks between two dates, a date plus or
 * minus some days, weeks, months or years, leap years, today. All in UTC; `now` is in milliseconds since 1970.
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
  const named = namedDates(asked, now)
  // The text around its dates: their hyphens and figures are none of the question's.
  const around = named.reduce((rest, date) => rest.replace(date.text, '#'), asked)
  const missing = named.find(date => date.ms === undefined)
  if (missing !== undefined) {
    return asksOfDate.test(around)
      ? `There is no ${shownAs(text, missing)}: no such day is in the calendar.`
      : undefined
  }
  const found = findDates(asked, now)
  return (
    answerBetween(around, found, now) ??
    answerShift(around, found, now) ??
    answerDay(asked, around, found, now)
  )
}

const asksOfDate =
  /\b(?:plus|minus|add|subtract|after|before|from|until|till|since|between|difference|days?|weekday|weeks?|months?|years?|date)\b|[+-]/

function shownAs(text: string, { at, text: found }: { readonly at: number; readonly text: string }): string {
  return text.slice(at, at + found.length)
}

function answerBetween(around: string, found: readonly FoundDate[], now: number): string | undefined {
  const [first, second, third] = found
  if (first === undefined || third !== undefined) return undefined
  if (
    /\b(?:months|years|hours|minutes|seconds|weekdays|weekends|business|working|work|inclu\w*)\b/.test(around)
  )
    return undefined
  const asksLength = /\bhow (?:many (?:days|weeks)|long)\b/.test(around)
  const weeks = /\bweeks\b/.test(around) && !/\bdays\b/.test(around)
  if (second !== undefined) {
    const asks =
      asksLength ||
      /^[^#]*#\s*(?:-|–|minus)\s*#[\s?=.]*$/.test(around) ||
      /\b(?:days|weeks|difference|time) (?:is |are )?(?:(?:there )?between|from)\b/.test(around) ||
      /\bdifference\b/.test(around)
    return asks ? spanOf(first.ms, second.ms, weeks) : undefined
  }
  return asksLength && /\b(?:until|till|to|since)\b[^#]{0,20}#/.test(around)
    ? spanOf(startOfDay(now), first.ms, weeks)
    : undefined
}

function spanOf(from: number, to: number, inWeeks: boolean): string {
  const days = Math.abs(Math.round((to - from) / day))
  const rest = days % 7
  const length = !inWeeks
    ? counted(days, 'day')
    : `${counted((days - rest) / 7, 'week')}${rest === 0 ? '' : ` and ${counted(rest, 'day')}`}`
  return `There ${/^1 \w+$/.test(length) ? 'is' : 'are'} ${length} between ${isoDate(from)} and ${isoDate(to)}.`
}

const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

function answerShift(around: string, found: readonly FoundDate[], now: number): string | undefined {
  const shifts = [
    ...around.matchAll(
      new RegExp(`(?<![\\w.,])(\\d{1,6}|an?|${numbers.join('|')}) (day|week|month|year)s?\\b`, 'g'),
    ),
  ]
  if (shifts.length === 0 || found.length > 1) return undefined
  const back = /\b(?:minus|before|subtract|ago|earlier)\b|- ?(?:\d|an? )/.test(around)
  const on = /\b(?:plus|add|after|later|from now|in (?:\d|an? ))\b|\+ ?\d|\bin \d/.test(around)
  const fromDate = /\bfrom #/.test(around)
  if (back ? on : !on && !fromDate) return undefined
  const start =
    found[0]?.ms ?? (/\bfrom now\b|\bago\b|\bin (?:\d|an? )/.test(around) ? startOfDay(now) : undefined)
  if (start === undefined) return undefined
  const span = { months: 0, days: 0 }
  const words = shifts.map(([, figure = '', unit = '']) => {
    const named = numbers.indexOf(figure)
    const count = /^an?$/.test(figure) ? 1 : named >= 0 ? named : Number(figure)
    if (unit === 'day' || unit === 'week') span.days += count * (unit === 'week' ? 7 : 1)
    else span.months += count * (unit === 'year' ? 12 : 1)
    return counted(count, unit)
  })
  const sign = back ? -1 : 1
  const { ms, clamped } = moveDay(start, { months: sign * span.months, days: sign * span.days })
  if (!Number.isFinite(ms)) return undefined
  const said = `${words.join(' and ')} ${back ? 'before' : 'after'} ${isoDate(start)} is ${isoDate(ms)}, a ${weekdayOf(ms)}`
  return clamped === undefined
    ? `${said}.`
    : `${said}. (The month that this leads to has no day ${clamped}: its last day was taken.)`
}

function answerDay(
  asked: string,
  around: string,
  found: readonly FoundDate[],
  now: number,
): string | undefined {
  const [first, second] = found
  if (/\b(?:after|before|ago|from now|next|last|previous|how many)\b|\bin (?:\d|an? )/.test(around))
    return undefined
  if (!first && /\bwhat(?: is|'s)? (?:the )?(?:current )?time\b|\bwhat time is it\b/.test(asked)) {
    return `It is ${new Date(now).toISOString().slice(11, 16)} UTC.`
  }
  const relative = !first || /^(?:today|tomorrow|yesterday)$/.test(first.text)
  if (
    relative &&
    !second &&
    /\bwhat (?:day|date) (?:is|was|will) it\b|\bwhat(?: is|'s|was) (?:the date|#)|#'s date\b/.test(around)
  ) {
    const name = first?.text ?? 'today'
    const ms = first?.ms ?? startOfDay(now)
    return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${name === 'yesterday' ? 'was' : 'is'} ${weekdayOf(ms)}, ${isoDate(ms)} (UTC).`
  }
  if (!first || second) return undefined
  if (/\b(?:what|which) (?:day|weekday|day of the week)\b|\bday of the week\b|\bweekday\b/.test(around)) {
    return `${isoDate(first.ms)} is a ${weekdayOf(first.ms)}.`
  }
  return undefined
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

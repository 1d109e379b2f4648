import type { Finder } from './finder.ts'

const groupOfDigits = /(?<!\w|\d[.,])\d+/g
const maxDigits = 19
/** The lengths that issuers use, the most frequent ones first. */
const preferred = [16, 15, 14, 19, 13, 18, 17]

const issuers: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-59]|[689])/, [14, 15, 16, 17, 18, 19]],
  [/^(?:352[89]|35[3-8]\d)/, [16, 17, 18, 19]],
  [/^(?:50|5[6-8]|6)/, [13, 14, 15, 16, 17, 18, 19]],
  [/^(?:220[0-4]|8[12]|9792)/, [16, 17, 18, 19]],
]

/** Numbers of payment cards: of 13 to 19 digits, with the prefix and length of an issuer, and a valid checksum (Luhn). */
export const cards: Finder = {
  maxLength: 44,
  next(text, from) {
    groupOfDigits.lastIndex = from
    for (let match = groupOfDigits.exec(text); match !== null; match = groupOfDigits.exec(text)) {
      const { 0: digits, index: start } = match
      if (digits.length > maxDigits) continue
      const end = endOfCard(text, start, digits.length)
      if (end !== undefined) return { start, end }
    }
    return undefined
  },
}

/**
 * Returns the end of a card that begins with a group of digits. Numbers beside it, such as its date, are no part of it. Groups have
 * three digits at least, but for the last one; or one or two digits each, and nothing beside them.
 */
function endOfCard(text: string, start: number, size: number): number | undefined {
  const isSpelt = size < 3
  if (isSpelt && /\d[ -]$/.test(text.slice(Math.max(0, start - 2), start))) return undefined
  const ends = new Map<number, { readonly digits: string; readonly end: number }>()
  let digits = ''
  for (let at = start; ; ) {
    const group = digitsAt(text, at)
    digits += group
    at += group.length
    if (digits.length > maxDigits) break
    const isLast = !/[ -]/.test(text[at] ?? '') || digitsAt(text, at + 1) === ''
    if ((isLast || !isSpelt) && isEnd(text, at)) ends.set(digits.length, { digits, end: at })
    if (isLast || (isSpelt ? group.length !== size : group.length < 3)) break
    at++
  }
  for (const length of preferred) {
    const found = ends.get(length)
    if (found !== undefined && isCard(found.digits)) return found.end
  }
  return undefined
}

function digitsAt(text: string, start: number): string {
  let end = start
  while (end - start <= maxDigits && isDigit(text.charCodeAt(end))) end++
  return text.slice(start, end)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Whether a number ends before `end`: with no letter, and no fraction. */
function isEnd(text: string, end: number): boolean {
  const next = text[end] ?? ''
  return !/\w/.test(next) && !(/[.,]/.test(next) && isDigit(text.charCodeAt(end + 1)))
}

function isCard(digits: string): boolean {
  return (
    issuers.some(([prefix, lengths]) => prefix.test(digits) && lengths.includes(digits.length)) &&
    hasLuhnChecksum(digits)
  )
}

function hasLuhnChecksum(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const value = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? value * 2 : value
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0 && /[1-9]/.test(digits)
}

import type { Finder } from './finder.ts'

/** `+` or `00`, and up to 18 digits with the separators that people write. */
const candidate = /(?<![\w+])(?:\+|00(?=[1-9]))(?: ?\(?\d)(?:[ ./-]?\(?\d|\)[ ./-]{0,2}\(?\d| - \d){6,17}/g
/** The country codes of ITU-T E.164. */
const countryCode =
  /^(?:1|7|2[07]|2[1-69]\d|3[0-469]|3[578]\d|4[013-9]|42\d|5[1-8]|5[09]\d|6[0-6]|6[7-9]\d|8[1246]|8[05789]\d|9[0-58]|9[679]\d)/

/** Phone numbers in international form. National forms look like too many other numbers. */
export const phones: Finder = {
  maxLength: 100,
  next(text, from) {
    candidate.lastIndex = from
    for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
      const { 0: value, index: start } = match
      const end = endOfPhone(text, start, value)
      if (end !== undefined) return { start, end }
      candidate.lastIndex = start + 1
    }
    return undefined
  },
}

/** Returns the end of a number, which may have other numbers after it: the longest one with a valid number of digits. */
function endOfPhone(text: string, start: number, value: string): number | undefined {
  const isPrefixed = value.startsWith('+')
  // `00` also begins order numbers: a phone number has separators then.
  if (!isPrefixed && !/^00[1-9]\d{0,2}[ ./(-]/.test(value)) return undefined
  if (!countryCode.test(value.replaceAll(/\D/g, '').slice(isPrefixed ? 0 : 2))) return undefined
  for (let length = value.length; length > 8; length--) {
    if (!/\d/.test(value[length - 1]!) || !isEnd(text, start + length)) continue
    const digits = value.slice(0, length).replaceAll(/\D/g, '').length - (isPrefixed ? 0 : 2)
    if (digits < 8) return undefined
    if (digits <= 15) return start + length
  }
  return undefined
}

/** Whether a number ends before `end`: with no further digits or letters, and no fraction or time. */
function isEnd(text: string, end: number): boolean {
  const next = text[end] ?? ''
  return !/\w/.test(next) && !(/[.,:]/.test(next) && /\d/.test(text[end + 1] ?? ''))
}

import type { Finder } from './finder.ts'

/** The lengths of IBANs by country, of the registry of ISO 13616. */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 ' +
    'FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
    'LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 ' +
    'SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map(each => [each.slice(0, 2), Number(each.slice(2))]),
)

const beginning = /(?:(?<![a-z\d])|(?<=(?<![a-z\d])iban))[a-z]{2}[ -]?\d[ -]?\d/gi

/** International bank account numbers with a valid length and checksum, with or without spaces or dashes between groups. */
export const ibans: Finder = {
  maxLength: 74,
  next(text, from) {
    beginning.lastIndex = from
    for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
      const { index: start } = match
      const end = endOfIban(text, start)
      if (end !== undefined) return { start, end }
      beginning.lastIndex = start + 1
    }
    return undefined
  },
}

function endOfIban(text: string, start: number): number | undefined {
  const length = lengths[text.slice(start, start + 2).toUpperCase()]
  if (length === undefined) return undefined
  let characters = ''
  let at = start
  for (; characters.length < length; at++) {
    const character = text[at] ?? ''
    if (/[a-z\d]/i.test(character)) characters += character
    else if ((character !== ' ' && character !== '-') || !/[a-z\d]/i.test(text[at - 1]!)) return undefined
  }
  return /[a-z\d]/i.test(text[at] ?? '') || !isValid(characters.toUpperCase()) ? undefined : at
}

/** The checksum of ISO 7064: the number modulo 97 is 1. */
function isValid(iban: string): boolean {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

import { isoDate } from './calendar.ts'
import { findDates } from './find-dates.ts'
import { readInstruction } from './instruction.ts'

/**
 * Lists what the user asks to find in a text: e-mail addresses, links, numbers, dates, `key: value` lines.
 * `undefined` where the text asks for nothing of the kind.
 */
export function answerExtraction(text: string, now: number): string | undefined {
  const { asks, subject } = readInstruction(text)
  if (!/\b(?:extract|find|list|get|show|pull out|what are|which)\b/.test(asks)) return undefined
  const kind = kinds.find(([pattern]) => pattern.test(asks))
  if (kind === undefined) return undefined
  const found = kind[2](subject ?? text, now)
  return found.length === 0
    ? `I found no ${kind[1]} in your text.`
    : found.map(item => `- ${item}`).join('\n')
}

const kinds: readonly (readonly [RegExp, string, (text: string, now: number) => string[]])[] = [
  [/\be-?mails?\b/, 'e-mail addresses', findEmails],
  [/\burls?\b|\blinks?\b/, 'links', findUrls],
  [
    /\bdates?\b/,
    'dates',
    (text, now) => findDates(text.slice(0, 100_000), now).map(date => isoDate(date.ms)),
  ],
  [/\bnumbers?\b|\bamounts?\b/, 'numbers', text => findNumbers(text).map(String)],
  [
    /\bfields?\b|\bkeys?\b|\bpairs?\b|\bvalues?\b/,
    'fields',
    text => [...findFields(text)].map(([key, value]) => `${key}: ${value}`),
  ],
]

// Words are cut at blanks first and tried one by one, so that no pattern walks a long text twice.
function wordsOf(text: string): string[] {
  return (text.match(/[^\s<>"'(),;[\]]+/g) ?? []).filter(word => word.length <= 2_000)
}

/** The e-mail addresses of a text, in its order. */
export function findEmails(text: string): string[] {
  return wordsOf(text)
    .map(word => word.replace(/^mailto:/, '').replace(/[.!?:]+$/, ''))
    .filter(word => word.length <= 254 && /^[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+$/.test(word))
}

/** The `http` and `https` links of a text, in its order. */
export function findUrls(text: string): string[] {
  return wordsOf(text)
    .map(word => word.replace(/[.!?:]+$/, ''))
    .filter(word => /^https?:\/\/[^/]/.test(word) && URL.canParse(word))
}

/** The numbers of a text, in its order, without those inside words, dates and links. */
export function findNumbers(text: string): number[] {
  return (text.match(/(?<![\w.-])-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?(?![\w-]|\.\d)/g) ?? []).map(
    found => Number(found.replaceAll(',', '')),
  )
}

/** The `key: value` and `key = value` fields of a text, keys in lower case. */
export function findFields(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const piece of text.split(/[\n;,]/)) {
    const match =
      piece.length <= 500
        ? /^\s*[-*]?\s*([\p{L}_][\p{L}\p{N}_ -]{0,40}?)\s*(?::(?!\/\/)|=)\s*(\S.*)$/u.exec(piece)
        : null
    if (match?.[1] && match[2]) found.set(match[1].toLowerCase(), match[2].trim())
  }
  return found
}

import { quotedIn, readInstruction } from './instruction.ts'

/**
 * Counts in the user's text: words, characters, letters, lines, sentences, vowels, or how often a letter or
 * word occurs. `undefined` where the text asks for no count.
 */
export function answerCounting(text: string): string | undefined {
  const { asks, subject } = readInstruction(text)
  if (!/\b(?:how many|count|number of|how often)\b/.test(asks)) return undefined
  return countOccurrences(text, asks, subject) ?? countUnits(asks, subject ?? namedSubject(text))
}

function countOccurrences(text: string, asks: string, subject: string | undefined): string | undefined {
  const letter =
    /(?:^|[\s"'`“])([\p{L}\p{N}])(?:["'`”]|'s|["'`”]s)? (?:are |is )?(?:there )?(?:in|does|occur)/u.exec(asks)
  const times = /\b(?:how many times|how often|occurrences of|times does|count)\b/.test(asks)
  const quoted = quotedIn(text)
  if (
    letter &&
    /\b(?:how many|count|number of|letter)\b/.test(asks) &&
    !/\b(?:words|lines|characters|letters|sentences)\b/.test(asks)
  ) {
    const wanted = letter[1] ?? ''
    const within = subjectBeside(text, subject, wanted)
    if (within === undefined) return undefined
    const count = [...within.toLowerCase()].filter(character => character === wanted).length
    return `The letter "${wanted}" occurs ${timesOf(count)} in ${shown(within)}.`
  }
  if (!times) return undefined
  const wanted =
    quoted[0] ??
    /\b(?:word|does|occurrences of) ([\p{L}\p{N}-]{1,50}) (?:appear|occur|in|come)/u.exec(asks)?.[1]
  if (wanted === undefined) return undefined
  const within = subjectBeside(text, subject, wanted)
  if (within === undefined) return undefined
  const one = [...wanted].length === 1
  const count = one
    ? [...within.toLowerCase()].filter(character => character === wanted.toLowerCase()).length
    : wordsOf(within).filter(word => word.toLowerCase() === wanted.toLowerCase()).length
  return `${one ? 'The letter' : 'The word'} "${wanted}" occurs ${timesOf(count)} in ${shown(within)}.`
}

const units: readonly (readonly [RegExp, string, string, (text: string) => number])[] = [
  [/\bwords?\b(?! (?:["'“`]|\p{L}+\??$))/u, 'word', 'words', text => wordsOf(text).length],
  [/\bvowels?\b/, 'vowel', 'vowels', text => count(text, /[aeiou]/gi)],
  [/\bletters?\b/, 'letter', 'letters', text => count(text, /\p{L}/gu)],
  [/\bcharacters?\b|\bchars\b/, 'character', 'characters', text => [...text].length],
  [/\bdigits?\b/, 'digit', 'digits', text => count(text, /\p{Nd}/gu)],
  [/\blines?\b/, 'line', 'lines', text => text.split('\n').length],
  [
    /\bsentences?\b/,
    'sentence',
    'sentences',
    text => text.split(/[.!?]+(?=\s|$)/).filter(part => /\S/.test(part)).length,
  ],
  [/\bnumbers\b/, 'number', 'numbers', text => count(text, /(?<![\d.])\d+(?:\.\d+)?/g)],
]

function countUnits(asks: string, subject: string | undefined): string | undefined {
  if (subject === undefined) return undefined
  // The unit named first is meant: in `letters in the word tree`, letters.
  let best: { readonly at: number; readonly unit: (typeof units)[number] } | undefined
  for (const unit of units) {
    const at = asks.search(unit[0])
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, unit }
  }
  if (best === undefined) return undefined
  const [, singular, plural, counted] = best.unit
  const found = counted(subject)
  return `There ${found === 1 ? 'is' : 'are'} ${found} ${found === 1 ? singular : plural} in ${shown(subject)}.`
}

/** The text after the last `in`, for a question without quotation marks or colon. */
function namedSubject(text: string): string | undefined {
  const match = /\b(?:in|of) (?:the )?(?:word |sentence |text |phrase |string )?([^\n]{1,500})$/i.exec(
    text.slice(0, 1_000).trim(),
  )
  const subject = match?.[1]?.replace(/[?!.]+$/, '').trim()
  return subject === '' ? undefined : subject
}

function subjectBeside(text: string, subject: string | undefined, wanted: string): string | undefined {
  if (subject !== undefined && subject !== wanted) return subject
  return namedSubject(text)?.replace(/^["'`“]|["'`”]$/g, '')
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function timesOf(count: number): string {
  return count === 1 ? '1 time' : `${count} times`
}

function shown(text: string): string {
  return text.length > 60 || text.includes('\n') ? 'your text' : `"${text}"`
}

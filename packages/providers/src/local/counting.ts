import { quotedIn, readInstruction } from './instruction.ts'
import { namedSubject } from './named-subject.ts'

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
  const quoted = quotedIn(text)
  const outside = asks
    .replace(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)/g, '""')
    .replace(/(?<!")["“`][^"”`]*$/, '')
  const asksTimes = /\b(?:how many times|how often|occurrences of|times does|count)\b/.test(outside)
  const asksWord =
    /\b(?:does|do|of|count|often|is|the) (?:the )?word (?:""|[\p{L}\p{N}-]{1,50}) (?:appears?|occurs?|in|comes?|is)\b/u
  if (asksTimes && asksWord.test(outside)) {
    const wanted =
      /\bword ([\p{L}\p{N}-]{1,50}) (?:appears?|occurs?|in|comes?|is)\b/u.exec(outside)?.[1] ?? quoted[0]
    return wanted === undefined ? undefined : countWord(text, subject, wanted)
  }
  const letter =
    /(?:^|[\s"'`“])([\p{L}\p{N}])(?:["'`”]|'s|["'`”]s)? (?:are |is )?(?:there )?(?:in|does|occur|appear)/u.exec(
      asks,
    )
  if (
    letter &&
    /\b(?:how many|how often|count|number of|letter)\b/.test(asks) &&
    !/\b(?:words|lines|characters|letters|sentences)\b/.test(outside)
  ) {
    return countPieces(text, subject, letter[1] ?? '')
  }
  if (!asksTimes) return undefined
  const word = /\b(?:does|occurrences of) ([\p{L}\p{N}-]{1,50}) (?:appear|occur|in|come)/u.exec(outside)?.[1]
  if (word !== undefined)
    return [...word].length === 1 ? countPieces(text, subject, word) : countWord(text, subject, word)
  return quoted[0] === undefined ? undefined : countPieces(text, subject, quoted[0])
}

function countWord(text: string, subject: string | undefined, wanted: string): string | undefined {
  const within = subjectBeside(text, subject, wanted)
  if (within === undefined) return undefined
  const count = wordsOf(within).filter(word => word.toLowerCase() === wanted.toLowerCase()).length
  return `The word "${wanted}" occurs ${timesOf(count)} in ${shown(within)}.`
}

/** Counts a letter, or letters in a row, wherever they stand. */
function countPieces(text: string, subject: string | undefined, wanted: string): string | undefined {
  const within = subjectBeside(text, subject, wanted)?.toLowerCase()
  const original = subjectBeside(text, subject, wanted)
  if (within === undefined || original === undefined) return undefined
  const sought = wanted.toLowerCase()
  const apart = within.split(sought).length - 1
  let overlapping = 0
  for (let at = within.indexOf(sought); at >= 0; at = within.indexOf(sought, at + 1)) overlapping++
  const name = [...wanted].length === 1 && /\p{L}/u.test(wanted) ? `The letter "${wanted}"` : `"${wanted}"`
  const said = `${name} occurs ${timesOf(apart)} in ${shown(original)}`
  return overlapping === apart ? `${said}.` : `${said}, or ${timesOf(overlapping)} where overlaps count.`
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

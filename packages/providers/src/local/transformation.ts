import { readInstruction } from './instruction.ts'
import { answerRepetition, asksRepetition } from './repetition.ts'

/**
 * Changes the user's text as asked: upper, lower or title case, reversed, lines or words sorted, duplicate
 * lines removed. `undefined` where the text asks for nothing of the kind, or sets no text apart.
 */
export function answerTransformation(text: string): string | undefined {
  const repeated = answerRepetition(text)
  if (repeated !== undefined) return repeated
  const said = /^\s*(?:please )?(?:say|echo|repeat after me)[,:]? ([^\n]{1,500})$/i.exec(
    text.slice(0, 600),
  )?.[1]
  // `say "hi" in French 3 times` is more than it can do, and once would be wrong.
  if (said !== undefined && /["”'] .*\b(?:times|twice|thrice)\W*$|\b\d+ times\W*$/i.test(said))
    return undefined
  if (said !== undefined) return said.replace(/^["“](.*)["”]$/, '$1')
  const { asks, subject } = readInstruction(text)
  if (subject === undefined) return undefined
  if (/^(?:please )?(?:repeat|say|echo)\b(?! after me)/.test(asks) && asksRepetition(asks)) return undefined
  return transformations.find(([pattern]) => pattern.test(asks))?.[1](subject)
}

const transformations: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^(?:please )?(?:repeat after me|repeat|say|echo)\b/, text => text],
  [/\bupper ?-?case\b|\bcapital letters\b|\ball caps\b/, text => text.toUpperCase()],
  [/\blower ?-?case\b|\bsmall letters\b/, text => text.toLowerCase()],
  [
    /\btitle ?-?case\b|\bcapitali[sz]e\b/,
    text => text.replace(/\p{L}+/gu, word => word.charAt(0).toUpperCase() + word.slice(1)),
  ],
  [/\breverse\b.*\bwords\b/, text => text.split(/\s+/).reverse().join(' ')],
  [/\breverse\b.*\blines\b/, text => text.split('\n').reverse().join('\n')],
  [/\breverse\b/, text => [...text].reverse().join('')],
  [/\bsort\b.*\bwords\b/, text => text.split(/\s+/).sort().join(' ')],
  [/\bsort\b/, text => (text.includes('\n') ? sortBy(text, '\n') : sortBy(text, ', '))],
  [/\b(?:duplicates?|unique)\b/, text => [...new Set(text.split('\n'))].join('\n')],
]

function sortBy(text: string, separator: string): string {
  return text
    .split(separator === '\n' ? '\n' : /,\s*/)
    .sort()
    .join(separator)
}

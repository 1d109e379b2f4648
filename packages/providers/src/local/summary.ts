import { readInstruction } from './instruction.ts'

const most = 3
const common = new Set(
  'the and are was were for with that this from have has had but not you his her its they'.split(' '),
)

/**
 * Summarises the user's text by its own sentences: the up to three whose words occur most in it, in the
 * order of the text. `undefined` where no summary is asked for.
 */
export function answerSummary(text: string): string | undefined {
  const { asks, subject } = readInstruction(text)
  if (!/\bsummar(?:y|i[sz]e|i[sz]ing)\b|\btl;?dr\b|\bshorten\b/.test(asks) || subject === undefined)
    return undefined
  return extractSentences(subject)
}

/** The up to three sentences of a text whose words occur most in it, in its order. */
function extractSentences(text: string): string {
  const sentences = text
    .slice(0, 200_000)
    .split(/(?<=[.!?])\s+|\n+/)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
  if (sentences.length <= most) return sentences.join(' ')
  const counts = new Map<string, number>()
  for (const sentence of sentences)
    for (const word of wordsOf(sentence)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return sentences
    .map((sentence, at) => ({ sentence, at, weight: weightOf(sentence, counts) }))
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .slice(0, most)
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
    .join(' ')
}

function weightOf(sentence: string, counts: ReadonlyMap<string, number>): number {
  const words = wordsOf(sentence)
  let weight = 0
  // A word that occurs once says nothing of what the text is about.
  for (const word of words) weight += (counts.get(word) ?? 1) - 1
  return weight / (words.length + 2)
}

function wordsOf(sentence: string): string[] {
  return (sentence.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter(word => !common.has(word))
}

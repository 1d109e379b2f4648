/** The most characters that are written. */
const most = 20_000
const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

/**
 * Repeats what is quoted: `Repeat "ab" 3 times` gives `ababab`; a word or phrase, called so, gets spaces
 * between. `undefined` where the text asks for nothing of the kind, or for too much.
 */
export function answerRepetition(text: string): string | undefined {
  const asked =
    /^\s*(?:please )?(?:repeat|say|write|print|echo) (?:the )?(word |phrase |sentence |text |letter |string )?(?:"([^"]+)"|“([^”]+)”|`([^`]+)`|'([^']+)') (?:(\d{1,5}|[a-z]{3,6}) times|(twice))\W*$/i.exec(
      text.slice(0, 2_000),
    )
  if (!asked || text.length > 2_000) return undefined
  const [, kind = '', double, curly, back, single, figure = ''] = asked
  const piece = double ?? curly ?? back ?? single ?? ''
  const named = numbers.indexOf(figure.toLowerCase())
  const count = asked[7] ? 2 : named >= 0 ? named : Number(figure)
  if (!(count >= 1) || count * (piece.length + 1) > most) return undefined
  return Array<string>(count)
    .fill(piece)
    .join(/^(?:word|phrase|sentence)/i.test(kind) ? ' ' : '')
}

/** Whether something is to be said more than once, in whatever form. */
export function asksRepetition(text: string): boolean {
  return /\b(?:times|twice|thrice)\b/i.test(text)
}

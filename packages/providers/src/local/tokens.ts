const longestWord = 20

/**
 * Cuts a text into the tokens of the local provider. Their concatenation is the text.
 *
 * A token is a run of up to 20 letters, marks, digits or underscores, or else a single character, in both
 * cases together with one space before it. Characters of scripts that write without spaces (Chinese,
 * Japanese, Thai, Lao, Khmer, Burmese) each stand alone. No token cuts a surrogate pair.
 */
export function tokens(text: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at)
    found.push(text.slice(at, end))
    at = end
  }
  return found
}

/** How many tokens a text has. */
export function countTokens(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at = tokenEnd(text, at)) count++
  return count
}

/** The first `limit` tokens of a text, and nothing after them read. */
export function firstTokens(text: string, limit: number): { readonly text: string; readonly whole: boolean } {
  let end = 0
  for (let count = 0; count < limit && end < text.length; count++) end = tokenEnd(text, end)
  return { text: text.slice(0, end), whole: end === text.length }
}

function tokenEnd(text: string, start: number): number {
  let at = start
  if (text.charCodeAt(at) === 0x20 && at + 1 < text.length) at++
  const first = kindAt(text, at)
  at += widthAt(text, at)
  if (first !== 'word') return at
  for (let length = 1; length < longestWord && at < text.length; length++) {
    if (kindAt(text, at) !== 'word') break
    at += widthAt(text, at)
  }
  return at
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function kindAt(text: string, at: number): 'word' | 'single' {
  const code = text.codePointAt(at) ?? 0
  if (code < 0x80) {
    const letter = code | 0x20
    const isWord = (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a) || code === 0x5f
    return isWord ? 'word' : 'single'
  }
  const character = String.fromCodePoint(code)
  return /[\p{L}\p{M}\p{N}]/u.test(character) && !unspaced.test(character) ? 'word' : 'single'
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** A text in the form that is searched, and where each of its characters is in the original. */
export interface FoldedText {
  readonly text: string
  /** Returns the position in the original of a position in `text`, its end included. */
  readonly originOf: (at: number) => number
}

/** What is folded: escapes, invisible characters, spaces, dashes, full-width forms, full stops, and digits of other scripts. */
const special =
  /\\|[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[\u2010-\u2015\u2212\ufe58\ufe63]|[\u3002\uff01-\uff5e\uff61\ufe6b]|(?!\d)\p{Nd}/gu
const invisible = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]/
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/
const dashes = /[\u2010-\u2015\u2212\ufe58\ufe63]/
const digit = /\p{Nd}/u

/**
 * Returns a text as it is searched: full-width forms as ASCII, decimal digits of all scripts in the basic plane as `0` to `9`, spaces
 * and dashes of all kinds as ` ` and `-`, and without invisible characters. Escapes of JSON are read, as a text may be JSON: those
 * of white space become spaces.
 */
export function foldText(text: string): FoldedText {
  const pieces: string[] = []
  const shifts = new Shifts()
  let length = 0
  let at = 0
  special.lastIndex = 0
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const { 0: found, index } = match
    const escaped = found === '\\' ? escapeAt(text, index) : undefined
    const end = index + (escaped?.length ?? found.length)
    let folded = escaped?.isSpace ? '  ' : text.slice(index, end)
    if (escaped === undefined) folded = foldCharacter(found)
    else if (escaped.text !== undefined) folded = foldCharacter(escaped.text)
    pieces.push(text.slice(at, index), folded)
    length += index - at + folded.length
    at = end
    special.lastIndex = end
    if (folded.length !== end - index) shifts.add(length, end)
  }
  if (at === 0) return { text, originOf: position => position }
  pieces.push(text.slice(at))
  return { text: pieces.join(''), originOf: position => shifts.originOf(position) }
}

/** Where positions in a folded text begin to differ by another number from those in the original. */
class Shifts {
  readonly #folded: number[] = []
  readonly #origins: number[] = []

  add(folded: number, origin: number): void {
    if (this.#folded.at(-1) === folded) {
      this.#origins[this.#origins.length - 1] = origin
      return
    }
    this.#folded.push(folded)
    this.#origins.push(origin)
  }

  originOf(position: number): number {
    let low = 0
    let high = this.#folded.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#folded[middle]! <= position) low = middle + 1
      else high = middle
    }
    return low === 0 ? position : this.#origins[low - 1]! + position - this.#folded[low - 1]!
  }
}

interface Escape {
  readonly length: number
  /** The character that it stands for, if a value may have it. */
  readonly text?: string
  readonly isSpace?: boolean
}

/** Returns the escape of JSON at a position; any other backslash, and those of quotes and backslashes, stay what they are. */
function escapeAt(text: string, at: number): Escape {
  const next = text[at + 1] ?? ''
  if (next === 'u') {
    const digits = text.slice(at + 2, at + 6)
    if (/^[0-9a-f]{4}$/i.test(digits))
      return { length: 6, text: String.fromCharCode(Number.parseInt(digits, 16)) }
  }
  if (next === '/') return { length: 2, text: '/' }
  if (next !== '' && 'bfnrt'.includes(next)) return { length: 2, isSpace: true }
  return { length: next === '"' || next === '\\' ? 2 : 1 }
}

/** Returns a character in the form that is searched; nothing for an invisible one. */
function foldCharacter(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x80 || character.length > 1) return character
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  if (invisible.test(character)) return ''
  if (spaces.test(character)) return ' '
  if (dashes.test(character)) return '-'
  if (character === '\u3002' || character === '\uff61') return '.'
  if (character === '\ufe6b') return '@'
  return digit.test(character) ? String(digitValue(code)) : character
}

/** Returns the value of a decimal digit: Unicode has them in runs of ten, in order. */
function digitValue(code: number): number {
  let value = 0
  while (value < 9 && digit.test(String.fromCharCode(code - value - 1))) value++
  return value
}

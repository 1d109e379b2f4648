/**
 * A regular expression taken apart. A caller's expression is never run by the engine, whose backtracking can
 * take exponential time: it is read here, and matched with sets of positions.
 */
export type Pattern =
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number }
  | { readonly kind: 'start' | 'end' }

/** A run of code points, both ends within. */
export type Range = readonly [from: number, to: number]

const longest = 1_000
const deepest = 20
const mostRepeats = 1_000
const last = 0x10ffff

const digits: readonly Range[] = [[0x30, 0x39]]
const wordCharacters: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
const blanks: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
const lineEnds: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]

const classes: Readonly<Record<string, readonly Range[]>> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: blanks,
  S: complement(blanks),
}
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 }

/**
 * Reads literals, sets, `.`, `\d \w \s`, groups, alternatives, `^`, `$` and quantifiers. `undefined` for
 * what it does not know: look-around, back references, `\b`, `\p{...}`, repeats above 1,000.
 */
export function readPattern(source: string): Pattern | undefined {
  if (source.length > longest) return undefined
  const characters = [...source]
  let at = 0
  let depth = 0

  const choice = (): Pattern => {
    if (++depth > deepest) throw new NotReadable()
    const parts = [sequence()]
    while (characters[at] === '|') {
      at++
      parts.push(sequence())
    }
    depth--
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }
  const sequence = (): Pattern => {
    const parts: Pattern[] = []
    while (at < characters.length && characters[at] !== '|' && characters[at] !== ')')
      parts.push(quantified())
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
  }
  const quantified = (): Pattern => {
    const part = atom()
    const bounds = quantifier()
    if (bounds === undefined) return part
    if (part.kind === 'start' || part.kind === 'end' || bounds.min > bounds.max) throw new NotReadable()
    if (characters[at] === '?') at++
    if (quantifier() !== undefined) throw new NotReadable()
    return { kind: 'repeat', part, ...bounds }
  }
  const quantifier = (): { min: number; max: number } | undefined => {
    const sign = characters[at]
    if (sign === '*' || sign === '+' || sign === '?') {
      at++
      return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    }
    if (sign !== '{') return undefined
    const match = /^\{(\d{1,4})(,(\d{1,4})?)?\}/.exec(characters.slice(at, at + 12).join(''))
    if (!match) throw new NotReadable()
    at += match[0].length
    const min = Number(match[1])
    const max =
      match[2] === undefined ? min : match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3])
    if (min > mostRepeats) throw new NotReadable()
    return { min, max }
  }
  const atom = (): Pattern => {
    const character = characters[at++]
    if (character === '^') return { kind: 'start' }
    if (character === '$') return { kind: 'end' }
    if (character === '.') return { kind: 'set', ranges: complement(lineEnds) }
    if (character === '[') return set()
    if (character === '\\') return { kind: 'set', ranges: escaped() }
    if (character === '(') return group()
    if (character === undefined || '*+?{}])|'.includes(character)) throw new NotReadable()
    return { kind: 'set', ranges: only(character.codePointAt(0) ?? 0) }
  }
  const group = (): Pattern => {
    if (characters[at] === '?') {
      const opening = /^\?(?::|<[A-Za-z_]\w{0,50}>)/.exec(characters.slice(at, at + 60).join(''))
      if (!opening) throw new NotReadable()
      at += opening[0].length
    }
    const inside = choice()
    if (characters[at++] !== ')') throw new NotReadable()
    return inside
  }
  const set = (): Pattern => {
    const negated = characters[at] === '^'
    if (negated) at++
    const ranges: Range[] = []
    while (characters[at] !== ']') {
      const from = member()
      if (characters[at] === '-' && characters[at + 1] !== ']' && characters[at + 1] !== undefined) {
        at++
        const to = member()
        const [low, high] = [from[0]?.[0] ?? 0, to[0]?.[1] ?? 0]
        if (from.length !== 1 || to.length !== 1 || from[0]?.[1] !== low || to[0]?.[0] !== high || low > high)
          throw new NotReadable()
        ranges.push([low, high])
      } else ranges.push(...from)
    }
    at++
    return { kind: 'set', ranges: negated ? complement(ranges) : ranges }
  }
  const member = (): readonly Range[] => {
    const character = characters[at++]
    if (character === undefined) throw new NotReadable()
    if (character !== '\\') return only(character.codePointAt(0) ?? 0)
    return escaped()
  }
  const escaped = (): readonly Range[] => {
    const character = characters[at++]
    if (character === undefined) throw new NotReadable()
    if (Object.hasOwn(classes, character)) return classes[character]!
    if (Object.hasOwn(controls, character) && !/\d/.test(characters[at] ?? ''))
      return only(controls[character]!)
    const code = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/.exec(
      character + characters.slice(at, at + 9).join(''),
    )
    if (code) {
      at += code[0].length - 1
      return only(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '0', 16))
    }
    if (/[\p{L}\p{N}]/u.test(character)) throw new NotReadable()
    return only(character.codePointAt(0) ?? 0)
  }

  try {
    const pattern = choice()
    return at === characters.length ? pattern : undefined
  } catch (error) {
    if (error instanceof NotReadable) return undefined
    throw error
  }
}

/** Whether a set has a character. */
export function holds(ranges: readonly Range[], code: number): boolean {
  for (const [from, to] of ranges) if (code >= from && code <= to) return true
  return false
}

function only(code: number): readonly Range[] {
  return [[code, code]]
}

function complement(ranges: readonly Range[]): readonly Range[] {
  const rest: Range[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from > next) rest.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= last) rest.push([next, last])
  return rest
}

class NotReadable extends Error {}

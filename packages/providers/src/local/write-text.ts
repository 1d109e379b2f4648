import { holds, type Pattern, type Range } from './pattern.ts'

/** How a text is written from a pattern. */
export interface Writing {
  /** How many times beyond the fewest an unbounded part is repeated. */
  readonly extra: number
  /** Which alternative and which character is taken, where there are several. */
  readonly salt: number
}

/** A text written along a pattern; whether it matches is to be checked, for `^` and `$` are passed over. */
export function writeText(pattern: Pattern, writing: Writing, limit: number): string {
  switch (pattern.kind) {
    case 'start':
    case 'end':
      return ''
    case 'set':
      return characterOf(pattern.ranges, writing.salt)
    case 'sequence': {
      let text = ''
      for (const part of pattern.parts) if (text.length <= limit) text += writeText(part, writing, limit)
      return text
    }
    case 'choice':
      return writeText(pattern.parts[writing.salt % pattern.parts.length]!, writing, limit)
    case 'repeat': {
      const count = Math.min(pattern.max, pattern.min + writing.extra)
      const text = count === 0 ? '' : writeText(pattern.part, writing, limit)
      return text.repeat(text === '' ? 0 : Math.min(count, Math.ceil(limit / text.length) + 1))
    }
  }
}

const preferred: readonly Range[] = [
  [0x61, 0x7a],
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x21, 0x7e],
  [0x20, 0x20],
]

function characterOf(ranges: readonly Range[], salt: number): string {
  for (const [from, to] of preferred) {
    const found: number[] = []
    for (let code = from; code <= to; code++) if (holds(ranges, code)) found.push(code)
    if (found.length > 0) return String.fromCodePoint(found[salt % found.length]!)
  }
  for (const [from, to] of ranges) {
    const code = from >= 0xd800 && from <= 0xdfff ? 0xe000 : from
    if (code <= to) return String.fromCodePoint(code)
  }
  return ''
}

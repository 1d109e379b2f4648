import { holds, type Pattern } from './pattern.ts'

/**
 * Whether a pattern occurs in a text. `spend` is told of the steps taken, and may throw to end the work: they
 * grow with the length of the text times the size of the pattern with its repeats written out.
 */
export function matches(pattern: Pattern, text: string, spend: (steps: number) => void): boolean {
  const codes = Array.from(text, character => character.codePointAt(0) ?? 0)
  const step = (part: Pattern, from: ReadonlySet<number>): ReadonlySet<number> => {
    spend(1 + from.size * (part.kind === 'set' ? part.ranges.length : 1))
    const to = new Set<number>()
    switch (part.kind) {
      case 'start':
        if (from.has(0)) to.add(0)
        return to
      case 'end':
        if (from.has(codes.length)) to.add(codes.length)
        return to
      case 'set':
        for (const at of from) if (at < codes.length && holds(part.ranges, codes[at]!)) to.add(at + 1)
        return to
      case 'sequence': {
        let reached = from
        for (const next of part.parts) reached = step(next, reached)
        return reached
      }
      case 'choice':
        for (const option of part.parts) for (const at of step(option, from)) to.add(at)
        return to
      case 'repeat': {
        let reached = from
        for (let count = 0; count < part.min; count++) reached = step(part.part, reached)
        for (const at of reached) to.add(at)
        for (let count = part.min; count < part.max && reached.size > 0; count++) {
          const fresh = new Set<number>()
          for (const at of step(part.part, reached)) if (!to.has(at)) fresh.add(at)
          for (const at of fresh) to.add(at)
          reached = fresh
        }
        return to
      }
    }
  }
  return step(pattern, new Set(Array.from({ length: codes.length + 1 }, (_, at) => at))).size > 0
}

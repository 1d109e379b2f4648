import type { Finder } from './finder.ts'

/** Values of a pattern of the user's own. Its time is that of the pattern. */
export function patternFinder(pattern: RegExp, maxLength: number): Finder {
  const flags = new Set(`${pattern.flags}g`)
  flags.delete('y')
  const search = new RegExp(pattern.source, [...flags].join(''))
  return {
    maxLength,
    next(text, from) {
      search.lastIndex = from
      for (let match = search.exec(text); match !== null; match = search.exec(text)) {
        const { 0: value, index: start } = match
        if (value !== '') return { start, end: start + value.length }
        search.lastIndex++
      }
      return undefined
    },
  }
}

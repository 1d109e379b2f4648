/** Returns whether a rule of a price table matches a model's name, which is in lower case. */
export type ModelMatch = (name: string) => boolean

const maxDepth = 4
const maxRules = 1_000
const maxTextLength = 200

/** Compiles a rule such as `{ or: [{ equals: 'a' }, { starts_with: 'b' }] }`. Throws for any other. */
export function compileMatch(rule: unknown, depth = 0): ModelMatch {
  const entries = typeof rule === 'object' && rule !== null ? Object.entries(rule) : []
  const [[kind, value] = ['', undefined]] = entries
  if (entries.length !== 1) throw new Error('expected a rule with one member')
  if (kind === 'or' || kind === 'and') {
    if (!Array.isArray(value) || value.length > maxRules || depth >= maxDepth)
      throw new Error(`expected at most ${maxRules} rules, ${maxDepth} deep`)
    const rules = Array.from<unknown>(value).map(each => compileMatch(each, depth + 1))
    return kind === 'or'
      ? name => rules.some(matches => matches(name))
      : name => rules.every(matches => matches(name))
  }
  if (typeof value !== 'string' || value === '' || value.length > maxTextLength)
    throw new Error(`expected a text of at most ${maxTextLength} characters`)
  const text = value.toLowerCase()
  if (kind === 'equals') return name => name === text
  if (kind === 'starts_with') return name => name.startsWith(text)
  if (kind === 'ends_with') return name => name.endsWith(text)
  if (kind === 'contains') return name => name.includes(text)
  if (kind !== 'regex') throw new Error('expected equals, starts_with, ends_with, contains, regex, or, and')
  const pattern = linearPattern(value)
  return name => pattern.test(name)
}

/**
 * Returns a pattern that cannot backtrack for long, whoever wrote it: callers choose the names that it is tested with. At most
 * two quantifiers of variable length, none of a group but `?`, no back references.
 */
function linearPattern(source: string): RegExp {
  const bare = source
    .replace(/\\[1-9k]/g, '(){2}')
    .replace(/\\./g, 'a')
    .replace(/\[[^\]]*\]/g, 'a')
    .replace(/\((?:\?(?:[:=!]|<[=!]))?/g, '(')
  const variable = bare.match(/[*+?]|\{\d*,\d*\}/g) ?? []
  if (variable.length > 2 || /\)[*+{]/.test(bare)) throw new Error('expected a simpler pattern')
  return new RegExp(source)
}

import type { Finder } from './finder.ts'

/** Tokens with the prefixes of well-known services. No two alternatives begin alike, and each is left after a bounded number of characters. */
const token = new RegExp(
  [
    'sk-[\\w-]{20,}',
    '(?:sk|rk)_(?:live|test)_[A-Za-z\\d]{16,}',
    'whsec_[\\w+/=-]{24,}',
    'gh[pousr]_[A-Za-z\\d]{36,}',
    'github_pat_\\w{36,}',
    'glpat-[\\w-]{20,}',
    '(?:AKIA|ASIA)[A-Z\\d]{16}(?![A-Za-z\\d])',
    'xox[abeoprs]-[A-Za-z\\d-]{20,}',
    'xapp-\\d-[A-Za-z\\d-]{20,}',
    'AIza[\\w-]{35}(?![\\w-])',
    'ya29\\.[\\w-]{20,}',
    'npm_[A-Za-z\\d]{36}(?![A-Za-z\\d])',
    'hf_[A-Za-z\\d]{30,}',
    'gsk_[A-Za-z\\d]{40,}',
    'xai-[A-Za-z\\d]{40,}',
    'SG\\.[\\w-]{16,32}\\.[\\w-]{16,}',
    'dop_v1_[a-f\\d]{64}(?![a-f\\d])',
    'shpat_[a-f\\d]{32}(?![a-f\\d])',
    'AGE-SECRET-KEY-1[A-Z\\d]{58}',
    'eyJ[\\w-]{10,240}\\.eyJ[\\w-]{10,}(?:\\.[\\w-]*)?',
  ]
    .map(each => `(?<![\\w-])(?:${each})`)
    .join('|'),
  'g',
)

/** How many characters show that a value begins: more than the shortest one of each kind has. */
const decided = 320

/** Tokens with the prefix of a well-known service, and JSON Web Tokens. They begin where a word begins. */
export const tokens: Finder = {
  maxLength: decided,
  next(text, from) {
    token.lastIndex = from
    for (let match = token.exec(text); match !== null; match = token.exec(text)) {
      const { 0: value, index: start } = match
      if (isRandom(value)) return { start, end: start + value.length }
    }
    return undefined
  },
  continued(text, passed) {
    token.lastIndex = 0
    const match = token.exec(passed + text)
    return Math.max(0, (match?.[0].length ?? 0) - passed.length)
  },
  shortened(passed) {
    if (passed.length <= decided) return passed
    if (!passed.startsWith('eyJ')) return passed.slice(0, 80)
    const hasSignature = passed.split('.').length > 2
    return `eyJ0123456789.eyJ0123456789${hasSignature ? '.' : ''}`
  },
}

/** Whether a token with a frequent prefix is no name, such as `sk-fading-circle-animation-delay`. */
function isRandom(value: string): boolean {
  return !value.startsWith('sk-') || /(?=[A-Za-z]{0,11}\d)[A-Za-z\d]{12}/.test(value.slice(0, 64))
}

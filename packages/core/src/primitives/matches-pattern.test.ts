import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelPatterns } from '../auth/authorize.ts'
import { matchesPattern } from './matches-pattern.ts'

describe('matchesPattern', () => {
  it.each([
    ['gpt-4o', 'gpt-4o', true],
    ['gpt-4o', 'gpt-4o-mini', false],
    ['gpt-*', 'gpt-4o', true],
    ['*-mini', 'gpt-4o-mini', true],
    ['groq/*', 'groq/llama', true],
    ['groq/*', 'groq', false],
    ['*', '', true],
    ['a*a', 'a', false],
    ['a*b*c', 'abbc', true],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, name, fits) => {
    expect(matchesPattern(pattern, name)).toBe(fits)
  })

  it('agrees with the regular expression it stands for', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 })
    fc.assert(
      fc.property(word, name, (pattern, text) => {
        const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*')
        expect(matchesPattern(pattern, text)).toBe(new RegExp(`^${expression}$`).test(text))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('modelPatterns', () => {
  it('allows all to a principal without models, and none to one with an empty list', () => {
    expect(modelPatterns({ id: 'a' }, 'm')).toBe(true)
    expect(modelPatterns({ id: 'a', models: [] }, 'm')).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { usesColours } from './uses-colours.ts'

describe('usesColours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ TERM: 'dumb' }, true, false],
  ])('with %o on a terminal (%s) gives %s', (env, isTerminal, expected) => {
    expect(usesColours(env, isTerminal)).toBe(expected)
  })
})

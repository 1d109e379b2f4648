import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countTokens, firstTokens, splitTokens } from './tokens.ts'

it('cuts a text into words with the space before them, and marks', () => {
  expect(splitTokens('Hello, world_1!  x\n')).toEqual(['Hello', ',', ' world_1', '!', '  ', 'x', '\n'])
  expect(splitTokens('')).toEqual([])
})

it('cuts words of more than 20 characters, and scripts without spaces character by character', () => {
  expect(splitTokens('a'.repeat(45)).map(token => token.length)).toEqual([20, 20, 5])
  expect(splitTokens('你好 吗')).toEqual(['你', '好', ' 吗'])
})

it('loses nothing, cuts no surrogate pair, and counts what it cuts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, limit) => {
      const cut = splitTokens(text)
      expect(cut.join('')).toBe(text)
      expect(countTokens(text)).toBe(cut.length)
      expect(cut.some(token => /\p{Surrogate}/u.test(token))).toBe(false)
      expect(firstTokens(text, limit)).toEqual(cut.slice(0, limit))
    }),
  )
})

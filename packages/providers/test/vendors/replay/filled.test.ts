import { expect, it } from 'vitest'
import { filled } from './filled.ts'

const recorded = { a: [{ b: 'text', 'c/d~': { e: 1 } }] }

it('fills placeholders wherever they stand', () => {
  const ask = { x: ['$from:/a/0/b', { y: 'before,$from:/a/0/b' }], z: '$from:/a/0/c~1d~0', n: 3, o: null }
  expect(filled(ask, recorded)).toEqual({ x: ['text', { y: 'before,text' }], z: { e: 1 }, n: 3, o: null })
})

it('says so where nothing is there to take', () => {
  expect(() => filled({ x: '$from:/a/1/b' }, recorded)).toThrow(/nothing/)
  expect(() => filled({ x: 'before $from:/a/0' }, recorded)).toThrow(/text/)
})

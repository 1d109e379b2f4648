import fc from 'fast-check'
import { expect, it } from 'vitest'
import { utf16Offsets } from './utf16-offsets.ts'

it('is what encoding says, at each character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const ends: [bytes: number, units: number][] = [[0, 0]]
      for (const char of text) {
        const [bytes, units] = ends.at(-1) ?? [0, 0]
        ends.push([bytes + new TextEncoder().encode(char).length, units + char.length])
      }
      const shuffled = ends.map(([bytes]) => bytes).reverse()
      expect([...utf16Offsets(text, shuffled)].sort(([a], [b]) => a - b)).toEqual(ends)
    }),
  )
})

it('is the beginning of a character that the offset lies in, and the end beyond it', () => {
  expect([...utf16Offsets('a😀b', [3, 5, 99])]).toEqual([
    [3, 1],
    [5, 3],
    [99, 4],
  ])
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Utf16Offsets } from './utf16-offsets.ts'

function offsetsOf(...pieces: string[]): Utf16Offsets {
  const offsets = new Utf16Offsets()
  for (const piece of pieces) offsets.add(piece)
  return offsets
}

it('are what encoding says, at each character, however the text is cut', () => {
  const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('abc', 'é', '漢字', '😀')))
  fc.assert(
    fc.property(text, pieces => {
      const ends: [bytes: number, units: number][] = [[0, 0]]
      for (const char of pieces.join('')) {
        const [bytes, units] = ends.at(-1) ?? [0, 0]
        ends.push([bytes + new TextEncoder().encode(char).length, units + char.length])
      }
      const shuffled = ends.map(([bytes]) => bytes).reverse()
      expect([...offsetsOf(...pieces).codeUnitOffsets(shuffled)]).toEqual(ends)
    }),
  )
})

it.each(['\x7f', '\x80', '\u07ff', '\u0800', '\uffff', '\u{10000}'])('know how long %j is', char => {
  const bytes = new TextEncoder().encode(char).length * 4 + 1
  expect([...offsetsOf(char.repeat(4), 'aaaa').codeUnitOffsets([bytes])]).toEqual([
    [bytes, char.length * 4 + 1],
  ])
})

it('are the beginning of a character that they lie in, and the end beyond it', () => {
  expect([...offsetsOf('a😀', 'b').codeUnitOffsets([3, 5, 99])]).toEqual([
    [3, 1],
    [5, 3],
    [99, 4],
  ])
})

it('are unknown where the characters change too often', () => {
  const offsets = offsetsOf('aé'.repeat(20_000), 'a'.repeat(20_000))
  const places = offsets.codeUnitOffsets([0, 30_000, 60_000, 79_999])
  expect([...places]).toEqual([
    [0, 0],
    [30_000, 20_000],
  ])
})

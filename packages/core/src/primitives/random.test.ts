import { expect, it } from 'vitest'
import { freshId } from './random.ts'

it('makes ids of 32 hexadecimal digits, none of them twice, each digit as often as any other', () => {
  const ids = Array.from({ length: 10_000 }, freshId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(ids).size).toBe(ids.length)
  const counts = new Map<string, number>()
  for (const digit of ids.join('')) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  // 20,000 of each are expected; ten standard deviations are 1,370.
  expect(counts.size).toBe(16)
  for (const count of counts.values()) expect(Math.abs(count - 20_000)).toBeLessThan(1_370)
})

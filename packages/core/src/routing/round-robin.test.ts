import { describe, expect, it } from 'vitest'
import { a, b, c, d, idle, modelsOf, watching } from '../../test/support/scripted-places.ts'
import { roundRobin } from './round-robin.ts'

describe('roundRobin', () => {
  it('takes entries in turn, and keeps lists together', () => {
    const { context } = watching({ random: () => 0 })
    const route = roundRobin(a, [b, d], c)
    const orders = Array.from({ length: 4 }, () => modelsOf(route, context).join(''))
    expect(orders).toEqual(['abdc', 'bdca', 'cabd', 'abdc'])
  })

  it('begins at a random entry', () => {
    expect(modelsOf(roundRobin(a, b, c), watching({ random: () => 0.99 }).context)).toEqual(['c', 'a', 'b'])
  })

  it('puts unavailable targets last, and keeps its turns', () => {
    const health = ({ model }: { readonly model: string }) =>
      ({ ...idle, state: 'open', waitMs: model === 'b' ? 9 : 0 }) as const
    const { context } = watching({ random: () => 0, health })
    const route = roundRobin(a, b, c)
    const orders = Array.from({ length: 3 }, () => modelsOf(route, context).join(''))
    expect(orders).toEqual(['acb', 'cab', 'cab'])
  })

  it('rejects no entries', () => {
    expect(() => roundRobin()).toThrow(/roundRobin\(\): got an empty list/)
  })
})

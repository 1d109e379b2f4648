import { describe, expect, it } from 'vitest'
import { a, b, c, chance, d, idle, isLikely, modelsOf, watching } from '../../test/support/scripted-places.ts'
import { leastBusy } from './least-busy.ts'

describe('leastBusy', () => {
  const active: Record<string, number> = { a: 3, b: 1, c: 2, d: 0 }
  const busy = watching({ health: ({ model }) => ({ ...idle, active: active[model]! }) }).context

  it('gives the place first that answers the fewest, and keeps lists together', () => {
    expect(modelsOf(leastBusy(a, b, c), busy)).toEqual(['b', 'c', 'a'])
    expect(modelsOf(leastBusy([a, d], b, c), busy)).toEqual(['b', 'c', 'a', 'd'])
  })

  it('puts those last that are not to be asked, and looks at the next place of a list then', () => {
    const waits = new Set(['d', 'b'])
    const { context } = watching({
      health: ({ model }) => ({
        ...idle,
        active: active[model]!,
        state: 'open',
        waitMs: waits.has(model) ? 9 : 0,
      }),
    })
    expect(modelsOf(leastBusy(d, a, c), context)).toEqual(['c', 'a', 'd'])
    expect(modelsOf(leastBusy([d, a], c, b), context)).toEqual(['c', 'd', 'a', 'b'])
  })

  it('lets chance decide among equals', () => {
    const { context } = watching({ random: chance(3) })
    let first = 0
    for (let at = 0; at < 10_000; at++) if (modelsOf(leastBusy(a, b), context)[0] === 'a') first++
    expect(isLikely(first, 10_000, 0.5)).toBe(true)
  })

  it('refuses no entries', () => {
    expect(() => leastBusy()).toThrow(/leastBusy\(\): got an empty list/)
  })
})

import { describe, expect, it } from 'vitest'
import { a, b, c, draftOf, idle, provider } from '../../test/support/scripted-places.ts'
import type { Target } from '../contracts/provider.ts'
import { lastTargetFirst, targetNameOf } from './last-target.ts'

const allWell = { health: () => idle }
const after = (last: Target) => ({ ...draftOf(), lastTarget: targetNameOf(last) })

describe('the name of a target', () => {
  it('differs by provider, account, model and settings, and by nothing else', () => {
    const others: readonly Target[] = [
      a,
      b,
      { ...a, provider: { ...provider, name: 'other' } },
      { ...a, provider: { ...provider, realm: 'eu' } },
      { ...a, parameters: { temperature: 0 } },
    ]
    expect(new Set(others.map(targetNameOf)).size).toBe(5)
    expect(targetNameOf({ ...a, provider: { ...provider, maxConcurrent: 3 } })).toBe(targetNameOf(a))
    expect(targetNameOf({ ...a, parameters: { max_completion_tokens: 7 } })).toBe(targetNameOf(a))
    expect(targetNameOf(a)).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('the target that answered last', () => {
  it('is first, and the others keep their order', () => {
    expect(lastTargetFirst([a, b, c], after(c), allWell)).toEqual([c, a, b])
    const [two, twoByAlias] = [b, { ...b, via: ['alias'] }]
    expect(lastTargetFirst([a, two, c, twoByAlias], after(b), allWell)).toEqual([two, twoByAlias, a, c])
  })

  it('changes nothing where it is first, unknown, not on the route or not available', () => {
    const route = [a, b]
    expect(lastTargetFirst(route, draftOf(), allWell)).toBe(route)
    expect(lastTargetFirst(route, after(a), allWell)).toBe(route)
    expect(lastTargetFirst(route, after(c), allWell)).toBe(route)
    expect(lastTargetFirst(route, after(b), { health: () => ({ ...idle, waitMs: 1 }) })).toBe(route)
  })

  it('is hedged as the first of the route was', () => {
    const order = lastTargetFirst([{ ...a, hedgeAfterMs: 5 }, b, c], after(b), allWell)
    expect(order.map(({ model, hedgeAfterMs }) => [model, hedgeAfterMs])).toEqual([
      ['b', 5],
      ['a', undefined],
      ['c', undefined],
    ])
  })
})

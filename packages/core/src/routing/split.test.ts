import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  a,
  b,
  c,
  chance,
  d,
  draftOf,
  isLikely,
  modelsOf,
  watching,
} from '../../test/support/scripted-places.ts'
import type { Target } from '../contracts/provider.ts'
import type { RouteContext } from '../contracts/route.ts'
import type { ModelEntry } from './combined-route.ts'
import { targetNameOf } from './last-target.ts'
import { models } from './models.ts'
import { type SplitArms, split } from './split.ts'

const asked = (arms: SplitArms, by?: Parameters<typeof split>[1]) =>
  models({ big: a, small: [b, c], trial: split(arms, by) } as Record<string, ModelEntry>)
const model = (table: ReturnType<typeof asked>, context: RouteContext, user = 'x') =>
  modelsOf(table, context, draftOf({ user }, 'trial'))[0]!

describe('split', () => {
  it('gives one arm by its share, and tells of the places that are not asked', () => {
    const table = asked({ big: 0.9, small: 0.1 })
    const { context, skipped } = watching({ random: chance(7) })
    let small = 0
    for (let at = 0; at < 10_000; at++) if (model(table, context) === 'b') small++
    expect(isLikely(small, 10_000, 0.1)).toBe(true)
    const one = watching({ random: () => 0.95 })
    expect(modelsOf(table, one.context, draftOf({}, 'trial'))).toEqual(['b', 'c'])
    expect(one.skipped).toEqual([['a', 'not_chosen']])
    expect(skipped).toHaveLength(10_000 - small + 10_000)
  })

  it('gives all requests with the same key the same arm, by its share', () => {
    const table = asked({ big: 0.7, small: 0.3 }, 'user')
    const { context } = watching({
      random: () => {
        throw new Error('chance was asked')
      },
    })
    let small = 0
    for (let at = 0; at < 10_000; at++) {
      const found = model(table, context, `u${at}`)
      expect(model(table, context, `u${at}`)).toBe(found)
      if (found === 'b') small++
    }
    expect(isLikely(small, 10_000, 0.3)).toBe(true)
  })

  it('moves only keys to an arm whose share grows', () => {
    const { context } = watching()
    fc.assert(
      fc.property(
        fc.string(),
        fc.double({ min: 0.01, max: 0.98, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (user, share, more) => {
          const larger = share + (0.99 - share) * more
          const before = model(asked({ big: 1 - share, small: share }, 'user'), context, user)
          const after = model(asked({ big: 1 - larger, small: larger }, 'user'), context, user)
          if (before === 'b') expect(after).toBe('b')
        },
      ),
    )
  })

  it('keeps conversations in their arms without a key, by its share', () => {
    const table = asked({ big: 0.7, small: 0.3 })
    const { context } = watching({
      random: () => {
        throw new Error('chance was asked')
      },
    })
    const arm = (key: string) => modelsOf(table, context, draftOf({ prompt_cache_key: key }, 'trial'))[0]!
    let small = 0
    for (let at = 0; at < 10_000; at++) {
      const found = arm(`c${at}`)
      expect(arm(`c${at}`)).toBe(found)
      if (found === 'b') small++
    }
    expect(isLikely(small, 10_000, 0.3)).toBe(true)
  })

  it('stays in the arm that answered last, unless that is closed or a key decides', () => {
    const { context } = watching({ random: () => 0 })
    const after = (arms: SplitArms, last: Target, by?: 'user') =>
      modelsOf(asked(arms, by), context, {
        ...draftOf({ user: 'x' }, 'trial'),
        lastTarget: targetNameOf(last),
      })[0]
    expect(after({ big: 0.5, small: 0.5 }, c)).toBe('b')
    expect(after({ big: 0.5, small: 0.5 }, a)).toBe('a')
    expect(after({ big: 1, small: 0 }, c)).toBe('a')
    expect(after({ big: 0.5, small: 0.5 }, d)).toBe('a')
    const byKey = model(asked({ big: 0.5, small: 0.5 }, 'user'), context)
    for (const last of [a, c]) expect(after({ big: 0.5, small: 0.5 }, last, 'user')).toBe(byKey)
  })

  it('takes entries of its own, and shares that nearly come to 1', () => {
    const route = split({ old: [a, 0.1], new: [[b, c], 0.2], other: [c, 0.7] })
    expect(modelsOf(route, watching({ random: () => 0.25 }).context)).toEqual(['b', 'c'])
    expect(modelsOf(route, watching({ random: () => 0.999_999_999_999_999_9 }).context)).toEqual(['c'])
    expect(
      modelsOf(split({ old: [a, 1], off: [b, 0] }), watching({ random: () => 1 - 2 ** -53 }).context),
    ).toEqual(['a'])
  })

  it.each([
    [{}, /split\(\): got an empty object, expected at least one arm/],
    [{ old: [a, 0.9], new: [b, 0.05] }, /got shares with the sum 0.95, expected the sum 1/],
    [{ old: [a, 90], new: [b, 10] }, /got shares with the sum 100/],
    [{ old: [a, 1.5], new: [b, -0.5] }, /-0.5, expected a number from 0/],
    [{ old: { to: 7, share: 1 } }, /old: got 7, expected a target/],
    [{ old: [7, 1] }, /old: got 7, expected a target/],
    [{ old: a }, /old: got an object, expected a number/],
    [[a, b], /expected shares by name/],
    [null, /expected shares by name/],
  ])('refuses %o', (arms, message) => {
    expect(() => split(arms as never)).toThrow(message)
  })

  it('refuses what is no key', () => {
    expect(() => split({ old: [a, 1] }, 'team' as never)).toThrow(/by: got 'team'/)
  })
})

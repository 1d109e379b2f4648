import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cooldown, Cooldowns } from './cooldowns.ts'

const principals = ['ann', 'bob', 'cem', 'dee']
const step = fc.record({
  principal: fc.constantFrom(...principals),
  ms: fc.integer({ min: 1, max: 5_000 }),
  waitMs: fc.nat(3_000),
})

describe('Cooldowns', () => {
  it('hold a principal for the longest of its own, and all for the longest that two of them have', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const cooldowns = new Cooldowns()
        const given: Cooldown[] = []
        let now = 0
        for (const { principal, ms, waitMs } of steps) {
          now += waitMs
          const cooldown: Cooldown = { principal, until: now + ms, reason: 'rate_limited', since: now }
          cooldowns.add(cooldown, now)
          given.push(cooldown)
          const waits = principals
            .map(each =>
              Math.max(0, ...given.filter(it => it.principal === each).map(({ until }) => until - now)),
            )
            .toSorted((a, b) => b - a)
          expect(cooldowns.waitMs(now, undefined)).toBe(waits[0])
          expect(cooldowns.waitMs(now, 'somebody')).toBe(waits[1])
          expect(cooldowns.waitMs(now, cooldowns.longest?.principal)).toBe(waits[0])
        }
      }),
      { numRuns: 500 },
    )
  })

  it('are lifted by an answer to a later call where they are for credentials, and not where a pause was asked for', () => {
    const cooldowns = new Cooldowns()
    cooldowns.add({ principal: 'ann', until: 60_000, reason: 'upstream_auth', since: 5 }, 5)
    cooldowns.add({ principal: 'bob', until: 2_000, reason: 'rate_limited', since: 6 }, 6)
    cooldowns.lift(5)
    expect(cooldowns.waitMs(10, 'ann')).toBe(59_990)
    cooldowns.lift(6)
    expect([cooldowns.waitMs(10, 'ann'), cooldowns.waitMs(10, 'bob')]).toEqual([0, 1_990])
  })
})

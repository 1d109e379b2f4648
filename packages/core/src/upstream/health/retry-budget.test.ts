import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetryBudget } from './retry-budget.ts'

const share = { budget: 0.2, minBudget: 3 }

describe('RetryBudget', () => {
  it('lets a few be repeated, whatever the share', () => {
    const budget = new RetryBudget()
    budget.began(0, 0, share)
    const leaves = Array.from({ length: 5 }, () => budget.take(0, 0, share))
    expect(leaves.map(leave => leave !== undefined)).toEqual([true, true, true, false, false])
    expect(budget.active).toBe(3)
  })

  it('lets a share of the active calls be repeated at the same time', () => {
    const budget = new RetryBudget()
    for (let index = 0; index < 100; index++) budget.began(0, 0, share)
    const taken = Array.from({ length: 50 }, () => budget.take(0, 50, share))
    expect(taken.filter(Boolean)).toHaveLength(10)
  })

  it('is given back once', () => {
    const budget = new RetryBudget()
    const first = budget.take(0, 0, share)
    budget.take(0, 0, share)
    first?.(0)
    first?.(0)
    expect(budget.active).toBe(1)
  })

  it('gives the few again after ten seconds in which nothing was under way', () => {
    const budget = new RetryBudget()
    const taken = (now: number, calls: number) => {
      budget.began(now, calls, { ...share, budget: 0 })
      if (calls === 0) budget.becameIdle(now)
      const leaves = Array.from({ length: 4 }, () => budget.take(now, calls, { ...share, budget: 0 }))
      for (const leave of leaves) leave?.(now)
      return leaves.filter(Boolean).length
    }
    expect(taken(0, 0)).toBe(3)
    expect(taken(9_000, 0)).toBe(0)
    expect(taken(19_000, 1)).toBe(0)
    expect(taken(19_000, 0)).toBe(3)
  })

  it('counts first calls again after a repeat has begun, and after one that never did', () => {
    const half = { budget: 0.5, minBudget: 1 }
    const budget = new RetryBudget()
    budget.began(0, 0, { ...half, budget: 0 })
    const begins = budget.take(0, 1, { ...half, budget: 0 })
    budget.began(0, 1, half)
    begins?.(0)
    expect(budget.take(0, 1, half)).toBeUndefined()
    budget.began(0, 1, half)
    budget.began(0, 1, half)
    const waits = budget.take(0, 1, half)
    expect(waits).toBeDefined()
    waits?.(0)
    budget.began(0, 1, half)
    budget.began(0, 1, half)
    expect(budget.take(0, 1, half)).toBeDefined()
  })

  it('counts first calls again while a repeat is under way', () => {
    const half = { budget: 0.5, minBudget: 1 }
    const budget = new RetryBudget()
    budget.began(0, 0, half)
    expect(budget.take(0, 10, half)).toBeDefined()
    expect(budget.take(0, 10, half)).toBeUndefined()
    budget.began(0, 10, half)
    budget.began(0, 10, half)
    expect(budget.take(0, 10, half)).toBeDefined()
  })

  it('gives none where none is to be', () => {
    const none = { budget: 0, minBudget: 0 }
    const budget = new RetryBudget()
    for (let index = 0; index < 100; index++) budget.began(0, 0, none)
    expect(budget.take(0, 100, none)).toBeUndefined()
  })

  it('saves nothing of a calm hour for a storm', () => {
    const budget = new RetryBudget()
    budget.take(0, 0, share)?.(0)
    for (let second = 1; second <= 3_600; second++) {
      budget.began(second * 1_000, 1, share)
      if (second % 5 === 0) budget.take(second * 1_000, 0, share)?.(second * 1_000)
    }
    let taken = 0
    while (budget.take(3_600_000, 1_000, share) !== undefined) taken++
    expect(taken).toBeLessThanOrEqual(5)
  })

  it('lends one to a principal that had none, where another has used it up', () => {
    const budget = new RetryBudget()
    budget.began(0, 0, share)
    const take = (principal: string, now = 0) => budget.take(now, 0, share, principal)
    expect([1, 2, 3, 4].map(() => take('mallory') !== undefined)).toEqual([true, true, true, false])
    expect(take('ann')).toBeDefined()
    expect(take('ann')).toBeUndefined()
    expect(take('bob')).toBeDefined()
    expect(take('cem')).toBeDefined()
    expect(take('dee')).toBeUndefined()
    expect(budget.active).toBe(6)
  })

  it('is shared by principals that ask for it at the same time', () => {
    const budget = new RetryBudget()
    const taken = { mallory: 0, ann: 0 }
    const take = (now: number, principal: keyof typeof taken) => {
      const giveBack = budget.take(now, 1, share, principal)
      if (giveBack === undefined) return false
      giveBack(now)
      taken[principal]++
      return true
    }
    let denied = 0
    for (let second = 0; second < 100; second++) {
      for (let nth = 0; nth < 20; nth++) {
        budget.began(second * 1_000, 1, share)
        take(second * 1_000, 'mallory')
      }
      if (!take(second * 1_000, 'ann')) denied++
    }
    expect(denied).toBeLessThanOrEqual(3)
    expect(taken.mallory).toBeGreaterThan(150)
    expect(taken.mallory + taken.ann).toBeLessThanOrEqual(0.2 * 2_000 + 2 * share.minBudget)
  })

  it('F59 a burst whose clients repeat whenever they like makes at most 1.2 calls a request, and three; of several principals, and six', () => {
    const clients = fc.array(
      fc.record({
        startsAt: fc.nat(3_000),
        lasts: fc.array(fc.nat(20_000), { minLength: 3, maxLength: 3 }),
        waits: fc.array(fc.nat(60_000), { minLength: 3, maxLength: 3 }),
        leaves: fc.boolean(),
        who: fc.constantFrom('ann', 'ann', 'bob', 'cem'),
      }),
      { minLength: 1, maxLength: 200 },
    )
    fc.assert(
      fc.property(clients, fc.boolean(), (all, areSeveral) => {
        const budget = new RetryBudget()
        let active = 0
        let calls = 0
        const due: { at: number; run: () => void }[] = []
        const later = (at: number, run: () => void) => due.push({ at, run })
        for (const { startsAt, lasts, waits, leaves, who } of all) {
          const principal = areSeveral ? who : 'ann'
          const attempt = (index: number, at: number, giveBack?: (now: number) => void) => {
            budget.began(at, active, share)
            calls++
            active++
            const failsAt = at + lasts[index]!
            later(failsAt, () => {
              active--
              if (active === 0) budget.becameIdle(failsAt)
              const next = index < 2 ? budget.take(failsAt, active, share, principal) : undefined
              giveBack?.(failsAt)
              if (next === undefined) return
              const againAt = failsAt + waits[index]!
              later(againAt, () => (leaves ? next(againAt) : attempt(index + 1, againAt, next)))
            })
          }
          later(startsAt, () => attempt(0, startsAt))
        }
        while (due.length > 0) {
          due.sort((a, b) => b.at - a.at)
          due.pop()!.run()
        }
        expect(budget.active).toBe(0)
        expect(calls).toBeLessThanOrEqual(1.2 * all.length + (areSeveral ? 6 : 3) + 1e-6)
      }),
      { numRuns: 200 },
    )
  })
})

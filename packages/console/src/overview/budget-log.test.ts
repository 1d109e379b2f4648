import type { BudgetEvent } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { budgetLog } from './budget-log.ts'

const start = Date.UTC(2026, 10, 20, 12)

const budgetOf = (counter: string, more: Partial<BudgetEvent> = {}): BudgetEvent => ({
  type: 'budget',
  rule: "budget(10, 'usd').per('day')",
  counter,
  subject: { key: counter, source: 'api_keys' },
  window: 'day',
  limit: 10,
  spent: 1,
  refused: false,
  dryRun: false,
  ...more,
})

describe('budgetLog', () => {
  it('keeps the latest state of each budget, the one of which most is spent first', () => {
    const log = budgetLog(() => start)
    log.observe(budgetOf('ann', { spent: 1 }))
    log.observe(budgetOf('bob', { spent: 5 }))
    log.observe(budgetOf('ann', { spent: 9, refused: true }))
    log.observe(budgetOf('none', { limit: 0, spent: 0 }))
    expect(log.list().map(({ subject, spent, refused }) => [subject.key, spent, refused])).toEqual([
      ['none', 0, false],
      ['ann', 9, true],
      ['bob', 5, false],
    ])
  })

  it.each([
    ['hour', Date.UTC(2026, 10, 20, 13)],
    ['day', Date.UTC(2026, 10, 21)],
    ['week', Date.UTC(2026, 10, 23)],
    ['month', Date.UTC(2026, 11, 1)],
  ] as const)('forgets a budget of a %s when its window is over', (window, end) => {
    let now = start
    const log = budgetLog(() => now)
    log.observe(budgetOf('ann', { window }))
    now = end - 1
    expect(log.list()).toHaveLength(1)
    now = end
    expect(log.list()).toEqual([])
  })

  it('is bounded: of too many, those of which least is spent are forgotten, and long names are cut', () => {
    const log = budgetLog(() => start)
    log.observe(budgetOf('ann', { spent: 9 }))
    for (let user = 0; user < 600; user++) {
      log.observe(budgetOf(`user ${user}`, { spent: 0.1, subject: { user: 'u'.repeat(10_000) } }))
    }
    const rows = log.list()
    expect(rows).toHaveLength(500)
    expect(rows[0]).toMatchObject({ subject: { key: 'ann' }, spent: 9 })
    expect(rows[1]!.subject.user!.length).toBeLessThan(300)
  })
})

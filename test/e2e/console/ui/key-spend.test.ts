import { describe, expect, it } from 'vitest'
import { windowStart } from '../../../../packages/console/src/keys/own-budgets.ts'
import { findKeys, sortKeys } from '../../../../packages/console/ui/keys/key-order.ts'
import { budgetSpend, spendWindows } from '../../../../packages/console/ui/keys/key-spend.ts'

const key = (id: string, more: object = {}) => ({
  id,
  name: id,
  models: null,
  tags: null,
  limits: null,
  disabled: false,
  createdAt: 0,
  expiresAt: null,
  lastUsedAt: null,
  secrets: [],
  ...more,
})
const budget = (limit: number, per: 'day' | 'week' | 'ever', more: object = {}) => ({
  kind: 'budget' as const,
  limit,
  currency: 'usd' as const,
  per,
  ...more,
})

describe('the spend of keys', () => {
  it('is compared with the budget of which the most is spent', () => {
    const row = key('a', { limits: [budget(10, 'day'), budget(100, 'week')] })
    const spend = new Map([
      ['day', new Map([['a', 1]])],
      ['week', new Map([['a', 50]])],
    ] as const)
    expect(spendWindows([row])).toEqual(['month', 'day', 'week'])
    expect(budgetSpend(row, spend)).toMatchObject({ spent: 50, share: 0.5 })
  })

  it.each([
    [{ models: ['small-*'] }],
    [{ scopes: ['tag:team'] }],
    [{ scopes: ['key', 'model'] }],
    [{ operations: ['embed'] }],
  ])('is not compared with a budget of %j, which counts other requests', more => {
    const row = key('a', { limits: [budget(10, 'day', more)] })
    expect(spendWindows([row])).toEqual(['month'])
    expect(budgetSpend(row, new Map())).toBeUndefined()
  })

  it('counts in windows of the calendar in UTC, with weeks from Monday', () => {
    const sunday = Date.UTC(2026, 10, 29, 13, 45)
    expect(windowStart('hour', sunday)).toBe(Date.UTC(2026, 10, 29, 13))
    expect(windowStart('day', sunday)).toBe(Date.UTC(2026, 10, 29))
    expect(windowStart('week', sunday)).toBe(Date.UTC(2026, 10, 23))
    expect(windowStart('week', Date.UTC(2026, 10, 30))).toBe(Date.UTC(2026, 10, 30))
    expect(windowStart('month', sunday)).toBe(Date.UTC(2026, 10, 1))
    expect(windowStart('ever', sunday)).toBe(0)
  })

  it('sorts keys, of which those without a value come last', () => {
    const rows = [
      key('a', { lastUsedAt: 5 }),
      key('b', { tags: { team: 'x' }, expiresAt: 9, limits: [budget(1, 'ever')] }),
      key('c', { expiresAt: 3, models: ['small-*'] }),
    ]
    const spend = new Map([
      ['month', new Map([['c', 2]])],
      ['ever', new Map([['b', 7]])],
    ] as const)
    const order = (by: Parameters<typeof sortKeys>[1]) =>
      sortKeys(rows, by, spend, 'team')
        .map(({ id }) => id)
        .join('')
    expect(['created', 'team', 'spend', 'used', 'expires'].map(by => order(by as 'team'))).toEqual([
      'abc',
      'bac',
      'bca',
      'abc',
      'cba',
    ])
    expect(findKeys(rows, ' SMALL ', '', 'team').map(({ id }) => id)).toEqual(['c'])
    expect(findKeys(rows, '', 'x', 'team').map(({ id }) => id)).toEqual(['b'])
    expect(findKeys(rows, 'team=x', '', 'team').map(({ id }) => id)).toEqual(['b'])
  })
})

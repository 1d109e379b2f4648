import { expect, it } from 'vitest'
import { firstBudgets } from '../../../../packages/console/ui/overview/budget-lines.ts'

const charged = {
  rule: "budget(10, 'usd').per('day').by('tag:team')",
  subject: {},
  window: 'day',
  limit: 10,
  spent: 1,
  refused: false,
  dryRun: false,
  at: 0,
} as const
const ofKey = { key: 'k1', name: 'Ann', window: 'day', limit: 10, spent: 2, dryRun: false } as const

it('names those who share a budget by a tag that they do not have', () => {
  const rows = [
    charged,
    { ...charged, subject: { 'tag:team': 'search' } },
    { ...charged, rule: "budget(10, 'usd').per('day').by('gateway')" },
  ]
  expect(firstBudgets(rows, []).lines.map(({ others }) => others)).toEqual([['no team'], ['team search'], []])
})

it('has the budget of which most is spent first, and each once', () => {
  const rows = [charged, { ...charged, subject: { key: 'k1', source: 'api_keys' } }]
  expect(firstBudgets(rows, [ofKey]).lines.map(({ key }) => key)).toEqual([undefined, 'k1'])
  const { lines } = firstBudgets(rows, [
    { ...ofKey, limit: 4 },
    { ...ofKey, key: 'k2', spent: null },
  ])
  expect(lines.map(({ key, name, share }) => [key, name, share])).toEqual([
    ['k1', 'Ann', 0.5],
    [undefined, undefined, 0.1],
    ['k1', undefined, 0.1],
    ['k2', 'Ann', 0],
  ])
  const many = Array.from({ length: 9 }, (_, at) => ({ ...ofKey, key: `k${at + 3}` }))
  const { lines: first, hidden } = firstBudgets([], many)
  expect([first.length, hidden]).toEqual([8, 1])
})

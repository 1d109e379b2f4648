import type { UsageRow } from '@sluice/core/ledger'
import { describe, expect, it } from 'vitest'
import { usageCsv, usageText } from './usage-text.ts'

const row = (by: UsageRow['by'], given: Partial<UsageRow> = {}): UsageRow => ({
  by,
  requests: 1,
  promptTokens: 10,
  completionTokens: 5,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  unpriced: 0,
  estimated: 0,
  open: 0,
  ...given,
})

describe('usageText', () => {
  it('is a table with its sums, and says what they leave out', () => {
    const rows = [
      row({ model: 'large' }, { requests: 1234, promptTokens: 1234567, cost: 12.5, estimated: 2 }),
      row({ model: 'small' }, { cost: 0.000123 }),
      row({ model: null }, { unpriced: 1, open: 1, requests: 2 }),
    ]
    expect(usageText(['model'], rows)).toBe(
      `model  requests     prompt  completion  cost (USD)
large     1,234  1,234,567           5       12.50
small         1         10           5    0.000123
-             2         10           5        0.00
all       1,237  1,234,587          15       12.50

1 of 1,237 requests have no price, and are not part of the cost.
2 of 1,237 requests have estimated token counts, because the vendor reported none.
1 of 1,237 requests are in flight, and are not part of the other sums.`,
    )
  })

  it('does not call free what has no price', () => {
    expect(usageText([], [row({}, { unpriced: 1 })]).split('\n')[1]).toMatch(/ -$/)
    expect(usageText([], [row({}, { requests: 0 })])).toBe('No requests in this period.')
    expect(usageText(['day'], [])).toBe('No requests in this period.')
  })

  it('names the keys that are known by name, none other', () => {
    const rows = [row({ key: 'k1', model: 'k1' }), row({ key: 'dev' }), row({ key: null })]
    const lines = usageText(['key', 'model'], rows, new Map([['k1', 'Ann']])).split('\n')
    expect(lines.slice(1, 4)).toEqual([
      expect.stringMatching(/^k1 \(Ann\) +k1 +1 /),
      expect.stringMatching(/^dev +- /),
      expect.stringMatching(/^- +- /),
    ])
  })
})

describe('usageCsv', () => {
  it('has a line of heads, quotes what needs it, and holds no formula', () => {
    const csv = usageCsv(
      ['tag:team', 'key'],
      [row({ 'tag:team': 'a, "b"', key: '=1+1' }), row({ key: null })],
    )
    expect(csv.split('\r\n')).toEqual([
      'tag:team,key,requests,promptTokens,completionTokens,cachedTokens,reasoningTokens,cost,unpriced,estimated,open',
      `"a, ""b""",'=1+1,1,10,5,0,0,0,0,0,0`,
      ',,1,10,5,0,0,0,0,0,0',
    ])
  })
})

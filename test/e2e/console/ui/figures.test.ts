import { describe, expect, it } from 'vitest'
import { clock } from '../../../../packages/console/ui/format/clock.ts'
import { money, shortMoney, spent } from '../../../../packages/console/ui/format/money.ts'
import { span } from '../../../../packages/console/ui/format/span.ts'
import { roundTop, runsOf, stacked } from '../../../../packages/console/ui/usage/chart-scale.ts'

describe('figures for people', () => {
  it.each([
    [undefined, '–'],
    [0, '0 ms'],
    [0.44, '0.4 ms'],
    [84.4, '84 ms'],
    [1284, '1.28 s'],
    [59_999, '1 min 0 s'],
    [125_000, '2 min 5 s'],
    [3_700_000, '1 h 1 min'],
  ])('are spans: %s is %s', (ms, text) => {
    expect(span(ms)).toBe(text)
  })

  it.each([
    [null, '–', undefined],
    [0, '$0', '$0'],
    [0.00042, '$0.00042', '$0.00042'],
    [0.02, '$0.020', '$0.02'],
    [0.5, '$0.50', '$0.5'],
    [1.284, '$1.28', '$1.28'],
    [20, '$20.00', '$20'],
    [12_400, '$12,400', '$12,400'],
  ])('are sums of money: %s is %s', (dollars, text, short) => {
    expect(money(dollars)).toBe(text)
    if (dollars !== null) expect(shortMoney(dollars)).toBe(short)
  })
})

describe('what was spent', () => {
  it('is no $0 where nothing of it has a known price', () => {
    expect(spent(0, 3)).toBe('no price')
    expect(spent(0, 0)).toBe('$0')
    expect(spent(1.5, 3)).toBe('$1.50')
  })
})

describe('times of day', () => {
  it.each([
    [0, 5, '00:05'],
    [12, 30, '12:30'],
    [23, 59, '23:59'],
  ])('are of 24 hours, from 00 on: %i h %i min is %s', (hours, minutes, text) => {
    const at = new Date(2026, 0, 2, hours, minutes, 7)
    expect(clock(at)).toBe(text)
    expect(clock(at, 'second')).toBe(`${text}:07`)
  })
})

describe('a chart', () => {
  it('ends at a round number that is not below its highest value', () => {
    expect([0, 1, 7, 84, 3120, 0.0026].map(roundTop)).toEqual([1, 1, 8, 100, 4000, 0.003])
  })

  it('stands values upon each other', () => {
    expect(stacked([1, null, 2])).toEqual([
      [0, 1],
      [1, 1],
      [1, 3],
    ])
  })

  it('has a gap where a value is missing', () => {
    expect(runsOf([1, 2, null, 3])).toEqual([[0, 1], [3]])
  })
})

import { describe, expect, it } from 'vitest'
import type { LimitState } from '../../contracts/limiter.ts'
import { messagesLimitHeaders } from './limit-headers.ts'
import { limitHeaderPrefix } from './wire-names.ts'

const now = Date.UTC(2026, 10, 23, 8, 0, 0, 250)
const state = (given: Partial<LimitState>): LimitState => ({
  kind: 'requests',
  limit: 10,
  windowMs: 60_000,
  remaining: 3,
  resetMs: 30_000,
  ...given,
})
const headersOf = (...limits: LimitState[]) =>
  Object.fromEntries(
    Object.entries(messagesLimitHeaders(limits, now)).map(([name, value]) => [
      name.replace(`${limitHeaderPrefix}-`, ''),
      value,
    ]),
  )

describe('limit headers of the Messages API', () => {
  it('report the tightest limit of each kind, with its reset as a date', () => {
    const tokens = state({ kind: 'tokens', limit: 1_000, remaining: 12.9, resetMs: 0 })
    expect(headersOf(state({ remaining: 9 }), state({}), tokens)).toEqual({
      'requests-limit': '10',
      'requests-remaining': '3',
      'requests-reset': '2026-11-23T08:00:31Z',
      'tokens-limit': '1000',
      'tokens-remaining': '12',
      'tokens-reset': '2026-11-23T08:00:01Z',
    })
    expect(headersOf(state({}), state({ limit: 99, remaining: 98, exceeded: true }))).toMatchObject({
      'requests-limit': '99',
    })
    expect(headersOf()).toEqual({})
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300])(
    'write a date also where a store returns %d',
    resetMs => {
      expect(headersOf(state({ resetMs, remaining: resetMs }))['requests-reset']).toMatch(
        /^\+?\d{4,6}-\d\d-\d\dT.*Z$/,
      )
    },
  )
})

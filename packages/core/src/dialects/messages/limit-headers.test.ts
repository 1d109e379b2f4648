import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LimitState } from '../../contracts/limiter.ts'
import { messagesLimitHeaders } from './limit-headers.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 600)

describe('the limit headers of messages', () => {
  it('are those of the tightest limit of each kind, with the time of its reset', () => {
    const limits: readonly LimitState[] = [
      { kind: 'requests', limit: 100, windowMs: 60_000, remaining: 90, resetMs: 6_000 },
      { kind: 'requests', limit: 10, windowMs: 60_000, remaining: 2.5, resetMs: 400 },
      { kind: 'tokens', limit: 5_000, windowMs: 60_000, remaining: -7, resetMs: 54_401, exceeded: true },
    ]
    expect(messagesLimitHeaders(limits, now)).toEqual({
      'anthropic-ratelimit-requests-limit': '10',
      'anthropic-ratelimit-requests-remaining': '2',
      'anthropic-ratelimit-requests-reset': '2026-01-02T03:04:06Z',
      'anthropic-ratelimit-tokens-limit': '5000',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-01-02T03:05:01Z',
    })
    expect(messagesLimitHeaders(limits.slice(0, 1), now)).not.toHaveProperty(
      'anthropic-ratelimit-tokens-limit',
    )
  })

  it('are well formed whatever a limiter returns', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1e300))
    const state = fc.record({
      kind: fc.constantFrom('requests' as const, 'tokens' as const),
      limit: fc.nat(),
      windowMs: fc.nat(),
      remaining: number,
      resetMs: number,
    })
    fc.assert(
      fc.property(fc.array(state), limits => {
        for (const [name, value] of Object.entries(messagesLimitHeaders(limits, now))) {
          expect(value).toMatch(
            name.endsWith('reset') ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ : /^\d+(?:e\+\d+|\.\d+e\+\d+)?$/,
          )
        }
      }),
    )
  })
})

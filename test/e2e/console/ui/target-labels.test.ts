import { describe, expect, it } from 'vitest'
import { stateText } from '../../../../packages/console/ui/routes/target-labels.ts'

describe('the state of a target', () => {
  it.each([
    ['closed', undefined, 0, 'Available'],
    ['cooldown', 'rate_limited', 900, 'Cooldown: rate limited by the provider (429)'],
    [
      'cooldown',
      'credentials_refused',
      900,
      'Cooldown: the provider rejects the credentials of this gateway (401)',
    ],
    ['cooldown', 'quota_exhausted', 900, 'Cooldown: the quota at the provider is used up'],
    ['cooldown', undefined, 900, 'Cooldown'],
    ['open', 'http_503', 900, 'Open: too many failures, last: the provider returned 503'],
    ['open', 'first_byte_timeout', 900, 'Open: too many failures, last: timed out before the first byte'],
    ['open', 'credentials_refused', 900, 'Open: the provider rejects the credentials of this gateway (401)'],
    ['open', 'some_new_reason', 900, 'Open: too many failures, last: some new reason'],
    ['open', undefined, 900, 'Open: too many failures'],
    ['half_open', 'http_503', 0, 'Half-open: the next call is a probe'],
    ['half_open', 'http_503', 137_000, 'Half-open: a probe is running'],
  ] as const)('%s for %s with %d ms to wait', (state, reason, waitMs, text) => {
    expect(stateText({ state, reason, waitMs })).toBe(text)
  })
})

import { describe, expect, it } from 'vitest'
import { stateText } from '../../../../packages/console/ui/routes/target-labels.ts'

describe('the state of a target', () => {
  it.each([
    ['closed', undefined, 0, 'Available'],
    ['cooldown', 'rate_limited', 900, 'Paused: the provider limits the rate (429)'],
    ['cooldown', 'credentials_refused', 900, "Paused: the provider refuses this gateway's credentials (401)"],
    ['cooldown', 'quota_exhausted', 900, 'Paused: the quota at the provider is used up'],
    ['cooldown', undefined, 900, 'Paused'],
    ['open', 'http_503', 900, 'Open: too many failures, last: the provider answered 503'],
    ['open', 'first_byte_timeout', 900, 'Open: too many failures, last: no answer in time'],
    ['open', 'credentials_refused', 900, "Open: the provider refuses this gateway's credentials (401)"],
    ['open', 'some_new_reason', 900, 'Open: too many failures, last: some new reason'],
    ['open', undefined, 900, 'Open: too many failures'],
    ['half_open', 'http_503', 0, 'Half open: the next call is a trial'],
    ['half_open', 'http_503', 137_000, 'Half open: a trial call is running'],
  ] as const)('%s for %s with %d ms to wait', (state, reason, waitMs, text) => {
    expect(stateText({ state, reason, waitMs })).toBe(text)
  })
})

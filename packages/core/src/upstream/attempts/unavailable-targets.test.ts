import { expect, it } from 'vitest'
import type { TargetUnavailable } from '../../contracts/target-health.ts'
import { allTargetsUnavailable } from './unavailable-targets.ts'

const limited = (limit: 'exceeded' | 'unknown'): TargetUnavailable => ({
  state: 'cooldown',
  waitMs: 2_000,
  reason: 'rate_limited',
  limit,
})

it.each<[string, readonly TargetUnavailable[], string]>([
  ['no target', [], 'overloaded'],
  ['limits that are exceeded', [limited('exceeded')], 'rate_limit_exceeded'],
  ['limits that cannot be checked', [limited('unknown'), limited('unknown')], 'limiter_unavailable'],
  ['some of both', [limited('unknown'), limited('exceeded')], 'rate_limit_exceeded'],
])('is the error of %s', (_, blocked, reason) => {
  expect(allTargetsUnavailable(blocked).reason).toBe(reason)
})

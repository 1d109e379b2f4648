import type { TargetEvent } from '@sluice/core'

/** For tests: the circuit breaker of a target opens for all callers. */
export function targetDown(model: string): TargetEvent {
  return {
    type: 'target',
    provider: 'north',
    model,
    state: 'open',
    waitMs: 5,
    reason: 'overloaded',
    scope: 'all',
    unavailableMs: 0,
    error: new Error('secret details'),
  }
}

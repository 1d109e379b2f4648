import type { StoreEvent, TargetEvent } from '../../src/contracts/events.ts'
import type { HealthCall, TargetUnavailable } from '../../src/contracts/target-health.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { HealthSettings } from '../../src/upstream/health/health-options.ts'
import { defaultBreaker, defaultRetry } from '../../src/upstream/health/health-options.ts'
import { healthRegistry, type ReloadableHealthRegistry } from '../../src/upstream/health/health-registry.ts'
import { ManualClock } from './manual-clock.ts'

/** A book of tests: its process never stands still, its chance is the middle, and what it tells is kept. */
export interface ScriptedBook {
  readonly book: ReloadableHealthRegistry
  readonly told: TargetEvent[]
  readonly stores: StoreEvent[]
  readonly settings: HealthSettings
}

export function scriptedBook(given: Partial<HealthSettings> = {}): ScriptedBook {
  const told: TargetEvent[] = []
  const stores: StoreEvent[] = []
  const settings: HealthSettings = {
    breaker: defaultBreaker,
    retry: defaultRetry,
    random: () => 0.5,
    clock: new ManualClock(),
    shared: undefined,
    changed: event => {
      if (event.type === 'target') told.push(event)
      else if (event.type === 'store') stores.push(event)
    },
    ...given,
  }
  return { book: healthRegistry(settings, { began: () => {}, ended: () => false }), told, stores, settings }
}

/** An upstream's failure by its status. */
export function failure(status = 500, retryAfterMs?: number): UpstreamError {
  return new UpstreamError(`It answered ${status}.`, {
    kind: 'refused',
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** The call, where it may be made. */
export function begun(call: HealthCall | TargetUnavailable): HealthCall {
  if ('state' in call) throw new Error(`It is ${call.state}.`)
  return call
}

import type { Clock } from '../../clock/clock.ts'
import type { StoreEvent, TargetEvent } from '../../contracts/events.ts'
import type { SharedHealth } from '../../contracts/shared-health.ts'
import type { BreakerOptions, RetryOptions } from '../health-options.ts'

/** What health is judged by. Read at each use: another gateway's options may take their place. */
export interface HealthSettings {
  /** `undefined`: no target is left alone, neither for its failures nor because it asks for a pause. */
  readonly breaker: BreakerOptions | undefined
  /** `undefined`: nothing is repeated. */
  readonly retry: RetryOptions | undefined
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  readonly clock: Clock
  /** `undefined`: other processes are told nothing, and asked for nothing. */
  readonly shared: SharedHealth | undefined
  /** Hears each change of a target's state once, and of what is shared. Must not throw. */
  readonly changed: (event: TargetEvent | StoreEvent) => void
}

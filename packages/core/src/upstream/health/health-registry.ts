import type { Provider, ProviderKey } from '../../contracts/provider.ts'
import type { HealthRecord, HealthRegistry } from '../../contracts/target-health.ts'
import { memberOf } from '../../primitives/own-members.ts'
import { processStores } from '../../stores/process-stores.ts'
import { areProviderKeys, expectedKeys } from '../../validation/provider-keys.ts'
import { EventLoopStallMonitor, type Pauses } from './event-loop-stall-monitor.ts'
import type { HealthSettings } from './health-options.ts'
import { HealthSync } from './health-sync.ts'
import type { RecordSettings } from './record-settings.ts'
import { TargetHealthState } from './target-health-state.ts'

/** How many models of a provider have a state. */
const maxModels = 1_000

/** The maximum where more than those are unavailable. */
const maxUnavailableModels = 10_000

/** The maximum length of a name: a longer one is made up by a caller. */
const maxNameLength = 1_000

/** How many states are examined to find one that can be dropped. */
const maxExamined = 16

/** A health registry that outlives `reload`. */
export interface ReloadableHealthRegistry extends HealthRegistry {
  /** Uses these settings from now on. The state of targets stays. */
  follow(settings: HealthSettings): void
}

/**
 * Creates the health of all targets in this process, for as long as their providers live. Of each provider it holds 1,000
 * models and drops the least recently used ones: none with calls under way, and unavailable ones only beyond 10,000.
 *
 * @param pauses - when the event loop stalled; for tests whose clock is not that of the timers.
 */
export function healthRegistry(
  settings: HealthSettings,
  pauses: Pauses = new EventLoopStallMonitor(settings.clock),
): ReloadableHealthRegistry {
  let current = settings
  let sharing = sharingOf(settings)
  const providers = new WeakMap<object, ProviderHealth>()
  // All states share one object, which reads the current settings.
  const followed: RecordSettings = {
    get breaker() {
      return current.breaker
    },
    get retry() {
      return current.retry
    },
    get sharing() {
      // A gateway may be created before its process shares.
      if (sharing === undefined && processStores() !== undefined) sharing = sharingOf(current)
      return sharing
    },
    random: () => current.random(),
    get clock() {
      return current.clock
    },
    changed: event => current.changed(event),
  }
  function sharingOf({ shared, clock, storeTimeoutMs }: HealthSettings): HealthSync | undefined {
    const store = shared ?? processStores()?.health
    if (store === undefined) return undefined
    // A store that a reload has replaced reports nothing.
    const changed: HealthSettings['changed'] = event => {
      if (sharing === sync) current.changed(event)
    }
    const sync: HealthSync = new HealthSync(store, {
      clock,
      changed,
      ...(storeTimeoutMs && { storeTimeoutMs }),
    })
    return sync
  }
  return {
    of({ provider, model }) {
      let states = providers.get(provider)
      if (states === undefined) {
        states = new ProviderHealth(
          name =>
            new TargetHealthState(
              { provider: provider.name, model: name },
              followed,
              pauses,
              keysOf(provider),
            ),
        )
        providers.set(provider, states)
      }
      return states.of(model)
    },
    follow(next) {
      current = next
      if ((next.shared ?? processStores()?.health) === sharing?.store) {
        sharing?.setTimeoutMs(next.storeTimeoutMs)
        return
      }
      const failed = sharing?.working === false
      sharing = sharingOf(next)
      if (failed) next.changed({ type: 'store', store: 'health', state: 'working', error: undefined })
    },
  }
}

/** Returns the keys of a provider. Throws `TypeError` for invalid ones. */
function keysOf(provider: Pick<Provider, 'name' | 'keys'>): readonly ProviderKey[] | undefined {
  const keys = memberOf(provider, 'keys')
  if (keys === undefined || areProviderKeys(keys)) return keys
  throw new TypeError(`The provider ${provider.name} has invalid keys, expected ${expectedKeys}.`)
}

/** The health of the targets of one provider. */
class ProviderHealth {
  readonly #make: (model: string) => TargetHealthState
  /** The least recently used ones come first. */
  readonly #records = new Map<string, { record: TargetHealthState; used: boolean }>()

  constructor(make: (model: string) => TargetHealthState) {
    this.#make = make
  }

  of(model: string): HealthRecord {
    const known = this.#records.get(model)
    if (known !== undefined) {
      known.used = true
      return known.record
    }
    const record = this.#make(model)
    if (model.length > maxNameLength) return record
    if (this.#records.size >= maxModels) this.#evict()
    this.#records.set(model, { record, used: false })
    return record
  }

  /** Examines a few, as many may have to stay. One that was used since it was examined last stays (second chance). */
  #evict(): void {
    let left = maxExamined
    for (const [model, known] of this.#records) {
      if (this.#records.size < maxModels || left-- === 0) return
      const crowded = this.#records.size >= maxUnavailableModels
      const stays = crowded ? known.record.inUse : known.used || known.record.matters
      this.#records.delete(model)
      if (!stays) continue
      known.used = false
      this.#records.set(model, known)
    }
  }
}

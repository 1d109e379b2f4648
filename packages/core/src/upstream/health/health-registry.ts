import type { HealthRecord, HealthRegistry } from '../../contracts/target-health.ts'
import { EventLoopStallMonitor, type Pauses } from './event-loop-stall-monitor.ts'
import type { HealthSettings } from './health-options.ts'
import { HealthSync } from './health-sync.ts'
import { type RecordSettings, TargetHealthState } from './target-health-state.ts'

/** Of one provider so many models are remembered. */
const mostModels = 1_000

/** And so many, where more than those are left alone. */
const mostThatMatter = 10_000

/** A longer name is not remembered: it is a caller's, and no model is called so. */
const longestName = 1_000

/** So many are looked at to find one that can be forgotten. */
const looks = 16

/** A book that goes on under other options. */
export interface LastingHealthRegistry extends HealthRegistry {
  /** Judges by these from now on. What is known of targets stays. */
  follow(settings: HealthSettings): void
}

/**
 * What is known of all targets in this process, for as long as their providers live. Of each provider it remembers
 * 1,000 models, of which those go first that were not asked for long; not those with calls under way; and those that
 * are left alone only where there are more than 10,000.
 *
 * @param pauses - when this process stood still; for tests whose clock is not the timers'.
 */
export function healthRegistry(
  settings: HealthSettings,
  pauses: Pauses = new EventLoopStallMonitor(settings.clock),
): LastingHealthRegistry {
  let current = settings
  let sharing = sharingOf(settings)
  const shelves = new WeakMap<object, Shelf>()
  // Records have hold of one object, and see through it what is followed now.
  const followed: RecordSettings = {
    get breaker() {
      return current.breaker
    },
    get retry() {
      return current.retry
    },
    get sharing() {
      return sharing
    },
    random: () => current.random(),
    get clock() {
      return current.clock
    },
    changed: event => current.changed(event),
  }
  function sharingOf({ shared, clock }: HealthSettings): HealthSync | undefined {
    return shared && new HealthSync(shared, { clock, changed: event => current.changed(event) })
  }
  return {
    of({ provider, model }) {
      let shelf = shelves.get(provider)
      if (shelf === undefined) {
        shelf = new Shelf(
          name => new TargetHealthState({ provider: provider.name, model: name }, followed, pauses),
        )
        shelves.set(provider, shelf)
      }
      return shelf.of(model)
    },
    follow(next) {
      current = next
      if (next.shared !== sharing?.store) sharing = sharingOf(next)
    },
  }
}

/** The records of one provider. */
class Shelf {
  readonly #make: (model: string) => TargetHealthState
  /** Those that were not looked at for long come first. */
  readonly #records = new Map<string, { record: TargetHealthState; used: boolean }>()

  constructor(make: (model: string) => TargetHealthState) {
    this.#make = make
  }

  of(model: string): HealthRecord {
    const kept = this.#records.get(model)
    if (kept !== undefined) {
      kept.used = true
      return kept.record
    }
    const record = this.#make(model)
    if (model.length > longestName) return record
    if (this.#records.size >= mostModels) this.#forget()
    this.#records.set(model, { record, used: false })
    return record
  }

  /** Looks at a few only, for there may be many that must stay. One that was used since it was seen has another turn. */
  #forget(): void {
    let left = looks
    for (const [model, kept] of this.#records) {
      if (this.#records.size < mostModels || left-- === 0) return
      const crowded = this.#records.size >= mostThatMatter
      const stays = crowded ? kept.record.inUse : kept.used || kept.record.matters
      this.#records.delete(model)
      if (!stays) continue
      kept.used = false
      this.#records.set(model, kept)
    }
  }
}

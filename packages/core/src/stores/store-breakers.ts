import type { Clock } from '../clock/clock.ts'
import type { Observer, StoreEvent } from '../contracts/events.ts'
import { StoreBreaker } from './store-breaker.ts'

interface SharedBreaker {
  readonly purpose: StoreEvent['store']
  readonly store: object
  readonly timeoutMs: number
  readonly breaker: StoreBreaker
  /** Number of the options that use it. */
  users: number
}

/** The breakers that a set of options uses. */
export interface UsedBreakers {
  /** Returns the breaker of a store, which all options share that call the store for this purpose with this timeout. */
  breakerOf(purpose: StoreEvent['store'], store: object, timeoutMs: number): StoreBreaker
  /** The options are no longer used. */
  release(): void
}

/**
 * The circuit breakers of a gateway's stores. They outlive its options, so that a store that fails before a reload fails after it.
 *
 * Of a purpose with several stores one event tells that the first of them fails, and one that none fails any more: the last one
 * works again, or no options use it.
 */
export class StoreBreakers {
  readonly #shared = new Set<SharedBreaker>()
  readonly #failing = new Set<SharedBreaker>()
  #observe: Observer = () => {}

  /** From now on `observe` receives the events. It must not throw. */
  use(observe: Observer, clock: Clock): UsedBreakers {
    this.#observe = observe
    const used = new Set<SharedBreaker>()
    return {
      breakerOf: (purpose, store, timeoutMs) => {
        const shared = this.#find(purpose, store, timeoutMs) ?? this.#create(purpose, store, timeoutMs, clock)
        if (!used.has(shared)) shared.users++
        used.add(shared)
        return shared.breaker
      },
      release: () => {
        for (const shared of used) {
          if (--shared.users > 0) continue
          this.#shared.delete(shared)
          this.#works(shared)
        }
        used.clear()
      },
    }
  }

  #find(purpose: StoreEvent['store'], store: object, timeoutMs: number): SharedBreaker | undefined {
    for (const shared of this.#shared) {
      if (shared.purpose === purpose && shared.store === store && shared.timeoutMs === timeoutMs)
        return shared
    }
    return undefined
  }

  #create(purpose: StoreEvent['store'], store: object, timeoutMs: number, clock: Clock): SharedBreaker {
    const breaker = new StoreBreaker({
      clock,
      changed: (state, error) => (state === 'failing' ? this.#fails(shared, error) : this.#works(shared)),
    })
    const shared: SharedBreaker = { purpose, store, timeoutMs, breaker, users: 0 }
    this.#shared.add(shared)
    return shared
  }

  #fails(shared: SharedBreaker, error: unknown): void {
    // A request of released options has found out.
    if (!this.#shared.has(shared)) return
    const { purpose } = shared
    const isFirst = !this.#isFailing(purpose)
    this.#failing.add(shared)
    if (isFirst) this.#observe({ type: 'store', store: purpose, state: 'failing', error })
  }

  #works(shared: SharedBreaker): void {
    const { purpose } = shared
    if (!this.#failing.delete(shared) || this.#isFailing(purpose)) return
    this.#observe({ type: 'store', store: purpose, state: 'working', error: undefined })
  }

  #isFailing(purpose: StoreEvent['store']): boolean {
    return [...this.#failing].some(shared => shared.purpose === purpose)
  }
}

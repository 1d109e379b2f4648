import type { CacheKey } from '@sluice/core/store'
import type { AlertsClock } from './alerts-clock.ts'
import type { TimedStore } from './timed-store.ts'

/** The right of this process to send an alert. */
export interface AlertClaim {
  /** It was sent: nobody sends it again until it expires. */
  sent(): Promise<void>
  /** It could not be sent: anybody may try again. */
  failed(): Promise<void>
}

export interface AlertClaimsOptions {
  readonly store: TimedStore
  readonly clock: AlertsClock
  /** Milliseconds after which a process that has not sent its alert is taken for dead. */
  readonly sendingMs: number
  /** Milliseconds before this process tries to send an alert again that could not be sent. */
  readonly retryMs: number
  readonly onStoreFailure: (error: unknown) => void
}

/** Alerts that this process knows to be claimed. Beyond it the oldest is forgotten, and asked of the store again. */
const maxKnown = 10_000
/** For what never ends, and the longest time that stores keep an entry. */
const maxTtlMs = 400 * 86_400_000

/**
 * Claims alerts, so that one process of many sends each. A claim is first for the time that sending takes, so that the alert of a
 * process that ends meanwhile is sent by another, and then for as long as the alert applies. While the store does not respond,
 * each process decides for itself: an alert that comes twice is better than none.
 */
export class AlertClaims {
  readonly #options: AlertClaimsOptions
  /** By key, until when this process need not ask again. In order of their last use. */
  readonly #known = new Map<string, number>()

  constructor(options: AlertClaimsOptions) {
    this.#options = options
  }

  /** Whether this process knows without the store that an alert is claimed. */
  isKnown(key: string): boolean {
    const until = this.#known.get(key)
    return until !== undefined && until > this.#options.clock.now()
  }

  /** Marks an alert as claimed for this process. */
  #know(key: string, ms: number): void {
    this.#known.delete(key)
    this.#known.set(key, this.#options.clock.now() + ms)
    if (this.#known.size <= maxKnown) return
    const oldest = this.#known.keys().next()
    if (oldest.done !== true) this.#known.delete(oldest.value)
  }

  /**
   * Returns the claim of an alert, or `undefined` where another process has it. `endsAt`: until when the alert applies. `knownMs`: for
   * how long this process need not ask the store again.
   */
  async claim(key: string, id: string, endsAt: number, knownMs = maxTtlMs): Promise<AlertClaim | undefined> {
    if (this.isKnown(key)) return undefined
    const { store, sendingMs, retryMs, clock, onStoreFailure } = this.#options
    const leftMs = () => Math.max(1, Math.min(endsAt - clock.now(), maxTtlMs))
    const entry = entryOf(key)
    const lock = `sending ${id}`
    // Known at once: more of the same comes while the store responds.
    this.#know(key, sendingMs)
    try {
      const added = await store.add(entry, lock, { ttlMs: sendingMs, pinned: true })
      if (typeof added === 'object') {
        // One that is being sent may yet fail.
        this.#know(key, Math.min(knownMs, added.existing.startsWith('sending ') ? sendingMs : leftMs()))
        return undefined
      }
    } catch (error) {
      onStoreFailure(error)
    }
    const change = async (text: string | undefined): Promise<void> => {
      try {
        await store.replace(entry, lock, text, { ttlMs: leftMs(), pinned: true })
      } catch (error) {
        onStoreFailure(error)
      }
    }
    return {
      sent: () => {
        this.#know(key, Math.min(knownMs, leftMs()))
        return change('sent')
      },
      failed: () => {
        this.#know(key, retryMs)
        return change(undefined)
      },
    }
  }

  /** Lets an alert that was sent be sent again after `ms` milliseconds. */
  async shorten(key: string, ms: number): Promise<void> {
    this.#know(key, ms)
    try {
      await this.#options.store.replace(entryOf(key), 'sent', 'sent', { ttlMs: ms, pinned: true })
    } catch (error) {
      this.#options.onStoreFailure(error)
    }
  }
}

/** An owner of its own: stores bound the entries of each. */
function entryOf(key: string): CacheKey {
  return { owner: `alerts ${key}`, name: 'alert' }
}

import type { Clock, Timer } from '../clock/clock.ts'
import type {
  AddResult,
  CacheKey,
  CacheLifetime,
  GuardedCacheStore,
  StoreOutcome,
} from '../contracts/cache-store.ts'

/** How long the key of a request is locked after its process has crashed, in milliseconds. */
const leaseMs = 30_000
const leased: CacheLifetime = { ttlMs: leaseMs, pinned: true }

/** How many keys are renewed concurrently. One after the other, many keys would expire on a slow store. */
const maxConcurrentRenewals = 100

interface Running {
  readonly key: CacheKey
  /** The text stored while the request runs. It is unique to the request. */
  readonly text: string
  /** What to store instead, once the request has ended. */
  final: { readonly text: string | undefined; readonly ttlMs: number; readonly until: number } | undefined
  written: Promise<void>
}

/** A locked key. */
export interface HeldKey {
  /** Replaces the lock by a text, or removes it if the text is `undefined`. Resolves after the first attempt. */
  end(text: string | undefined, ttlMs: number): Promise<void>
}

/**
 * Locks the keys of requests in flight. Locks expire after 30 s, so that those of a crashed process are released, and are
 * renewed by one timer while their requests run. Writes that fail at the end of a request are retried for 30 s.
 */
export class InFlightKeys {
  readonly #store: GuardedCacheStore
  readonly #clock: Clock
  readonly #running = new Set<Running>()
  #timer: Timer | undefined

  constructor(store: GuardedCacheStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Locks a key. Returns the existing text if the key has one, or `full`. */
  async hold(key: CacheKey, text: string): Promise<StoreOutcome<HeldKey | Exclude<AddResult, 'added'>>> {
    const added = await this.#store.add(key, text, leased)
    if (!added.ok) return added
    const { value } = added
    if (value !== 'added' && !this.#isOwn(value, key, text)) return { ok: true, value }
    const running: Running = { key, text, final: undefined, written: Promise.resolve() }
    this.#running.add(running)
    this.#arm()
    const end = (final: string | undefined, ttlMs: number) => {
      running.final = { text: final, ttlMs, until: this.#clock.monotonic() + leaseMs }
      return this.#write(running)
    }
    return { ok: true, value: { end } }
  }

  /** Whether the text is its own: a client of the store may have sent the command twice. */
  #isOwn(found: Exclude<AddResult, 'added'>, { owner, name }: CacheKey, text: string): boolean {
    if (found === 'full' || found.existing !== text) return false
    for (const { key } of this.#running) if (key.owner === owner && key.name === name) return false
    return true
  }

  /** Writes are sequential: a renewal must not overwrite the final text. */
  #write(running: Running): Promise<void> {
    running.written = running.written.then(() => this.#writeNow(running))
    return running.written
  }

  async #writeNow(running: Running): Promise<void> {
    const { key, text, final } = running
    const next = final === undefined ? text : final.text
    const lifetime: CacheLifetime = final === undefined ? leased : { ttlMs: final.ttlMs }
    const replaced = await this.#store.replace(key, text, next, lifetime)
    if (!replaced.ok) return
    let isStored = replaced.value
    if (!isStored && next !== undefined) {
      // A store that was restarted has lost the lock. The text of another request is not replaced.
      const added = await this.#store.add(key, next, lifetime)
      if (!added.ok) return
      // If the store is full of other locks, this one is retried.
      isStored = typeof added.value === 'string' || added.value.existing === next
    }
    if (final !== undefined || !isStored) this.#release(running)
  }

  #release(running: Running): void {
    this.#running.delete(running)
    if (this.#running.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    if (this.#timer !== undefined) return
    const renew = () => {
      this.#timer = undefined
      void this.#renew()
    }
    this.#timer = this.#clock.setTimer(leaseMs / 3, renew).unref()
  }

  async #renew(): Promise<void> {
    // Keys that are added meanwhile are not due yet.
    const all = [...this.#running]
    for (let at = 0; at < all.length; at += maxConcurrentRenewals) {
      await Promise.all(all.slice(at, at + maxConcurrentRenewals).map(running => this.#renewOne(running)))
    }
    if (this.#running.size > 0) this.#arm()
  }

  #renewOne(running: Running): Promise<void> | undefined {
    if (!this.#running.has(running)) return undefined
    if (running.final === undefined || this.#clock.monotonic() < running.final.until)
      return this.#write(running)
    this.#release(running)
    return undefined
  }
}

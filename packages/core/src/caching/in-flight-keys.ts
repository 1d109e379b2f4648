import type { Clock, Timer } from '../clock/clock.ts'
import type {
  AddResult,
  CacheKey,
  CacheLifetime,
  GuardedCacheStore,
  StoreOutcome,
} from '../contracts/cache-store.ts'

/** How long the key of a request whose process has died is held, in milliseconds. */
const leaseMs = 30_000
const leased: CacheLifetime = { ttlMs: leaseMs, pinned: true }

/** How many keys are renewed at the same time. One after the other, many over a slow store would come too late. */
const together = 100

interface Running {
  readonly key: CacheKey
  /** What is kept meanwhile. It is this request's alone. */
  readonly text: string
  /** What is to be kept instead, once the request has ended. */
  last: { readonly text: string | undefined; readonly ttlMs: number; readonly until: number } | undefined
  written: Promise<void>
}

/** A key that is held. */
export interface HeldKey {
  /** Keeps a text in its place for a time, or nothing where it is `undefined`. Resolves when that was tried once. */
  end(text: string | undefined, ttlMs: number): Promise<void>
}

/**
 * The keys of requests that run. What a store keeps of them ends soon, so that those of a process that has died are free
 * again; while they run they are renewed, by one timer. What a store does not take at a request's end is tried again
 * for as long.
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

  /** Holds a key where nothing is kept under it; gives what is kept where something is, or `full`. */
  async hold(key: CacheKey, text: string): Promise<StoreOutcome<HeldKey | Exclude<AddResult, 'added'>>> {
    const added = await this.#store.add(key, text, leased)
    if (!added.ok) return added
    const { value } = added
    if (value !== 'added' && !this.#isOwn(value, key, text)) return { ok: true, value }
    const running: Running = { key, text, last: undefined, written: Promise.resolve() }
    this.#running.add(running)
    this.#arm()
    const end = (last: string | undefined, ttlMs: number) => {
      running.last = { text: last, ttlMs, until: this.#clock.monotonic() + leaseMs }
      return this.#write(running)
    }
    return { ok: true, value: { end } }
  }

  /** Its own text is there where a client of the store asked twice. */
  #isOwn(found: Exclude<AddResult, 'added'>, { owner, name }: CacheKey, text: string): boolean {
    if (found === 'full' || found.existing !== text) return false
    for (const { key } of this.#running) if (key.owner === owner && key.name === name) return false
    return true
  }

  /** One step after the other: a renewal must not come after the end. */
  #write(running: Running): Promise<void> {
    running.written = running.written.then(() => this.#writeNow(running))
    return running.written
  }

  async #writeNow(running: Running): Promise<void> {
    const { key, text, last } = running
    const next = last === undefined ? text : last.text
    const lifetime: CacheLifetime = last === undefined ? leased : { ttlMs: last.ttlMs }
    const replaced = await this.#store.replace(key, text, next, lifetime)
    if (!replaced.ok) return
    let kept = replaced.value
    if (!kept && next !== undefined) {
      // A store that was started anew has forgotten it. What another request has put there is left.
      const added = await this.#store.add(key, next, lifetime)
      if (!added.ok) return
      // Where it is full of others' claims, this one is tried again.
      kept = typeof added.value === 'string' || added.value.existing === next
    }
    if (last !== undefined || !kept) this.#letGo(running)
  }

  #letGo(running: Running): void {
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
    // Those that come meanwhile have their time yet.
    const all = [...this.#running]
    for (let at = 0; at < all.length; at += together) {
      await Promise.all(all.slice(at, at + together).map(running => this.#renewOne(running)))
    }
    if (this.#running.size > 0) this.#arm()
  }

  #renewOne(running: Running): Promise<void> | undefined {
    if (!this.#running.has(running)) return undefined
    if (running.last === undefined || this.#clock.monotonic() < running.last.until)
      return this.#write(running)
    this.#letGo(running)
    return undefined
  }
}

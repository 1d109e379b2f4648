import { type Clock, maxTimerMs, type Timer } from '../clock/clock.ts'
import { withResolver } from '../primitives/with-resolver.ts'
import { ConcurrentCounts } from './concurrent-counts.ts'
import type { Lifetime } from './lifetime.ts'
import { Uploads } from './uploads.ts'

/** The requests in flight. */
export class RunningRequests {
  readonly #clock: Clock
  /**
   * A list, not a `Set`: adding to and deleting from a `Set` leaves old hash tables behind. They retain their entries until
   * the next major GC (docs/decisions/015).
   */
  readonly #lifetimes: Lifetime[] = []
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined
  /** When remaining requests are aborted. Monotonic milliseconds. */
  #abortAt = Number.POSITIVE_INFINITY
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#lifetimes.length
  }

  add(lifetime: Lifetime): void {
    lifetime.index = this.#lifetimes.length
    this.#lifetimes.push(lifetime)
  }

  /** Removes a request. Does nothing if it is not in flight. */
  delete(lifetime: Lifetime): void {
    const { index } = lifetime
    if (this.#lifetimes[index] !== lifetime) return
    const last = this.#lifetimes.pop()!
    if (last !== lifetime) {
      this.#lifetimes[index] = last
      last.index = index
    }
    if (this.#lifetimes.length > 0 || this.#drained === undefined) return
    this.#timer?.cancel()
    this.#timer = undefined
    this.#drained.resolve()
    this.#drained = undefined
  }

  /** Resolves when no request is in flight. Aborts those that remain after `ms`; the earliest time of several calls applies. */
  drain(ms: number): Promise<void> {
    const now = this.#clock.monotonic()
    const sooner = now + ms < this.#abortAt
    if (sooner) this.#abortAt = now + ms
    if (this.#lifetimes.length === 0) return Promise.resolve()
    this.#drained ??= withResolver()
    if (sooner || this.#timer === undefined) this.#arm(Math.max(0, this.#abortAt - now))
    return this.#drained.promise
  }

  #arm(ms: number): void {
    this.#timer?.cancel()
    if (ms > maxTimerMs) return
    this.#timer = this.#clock.setTimer(ms, () => {
      for (const lifetime of [...this.#lifetimes]) lifetime.end('gateway_closed')
    })
  }
}

/** The current load of a gateway. It survives a reload of the options. */
export class ServiceLoad {
  readonly running: RunningRequests
  readonly uploads = new Uploads()
  readonly counts = new ConcurrentCounts()
  /** Number of requests whose body is being received. */
  receiving = 0

  constructor(clock: Clock) {
    this.running = new RunningRequests(clock)
  }

  /** Number of requests in flight, without the current one and those whose body is being received. */
  get inFlight(): number {
    return this.running.size - 1 - this.receiving
  }
}

import { type Clock, maxTimerMs, type Timer } from '../clock/clock.ts'
import type { Lifetime } from './lifetime.ts'
import { Uploads } from './uploads.ts'

/** What is being answered. */
export class RunningRequests {
  readonly #clock: Clock
  /**
   * A list, and no set: one that is added to and taken from leaves old tables behind. Each holds what ran when it was
   * left, and the next table, so that the engine finds none of it to be garbage before it looks through all its memory.
   */
  readonly #lifetimes: Lifetime[] = []
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined
  /** When those that still run are ended. Monotonic milliseconds. */
  #cutAt = Number.POSITIVE_INFINITY
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#lifetimes.length
  }

  add(lifetime: Lifetime): void {
    lifetime.place = this.#lifetimes.length
    this.#lifetimes.push(lifetime)
  }

  /** Of what does not run nothing is taken out. */
  delete(lifetime: Lifetime): void {
    const { place } = lifetime
    if (this.#lifetimes[place] !== lifetime) return
    const last = this.#lifetimes.pop()!
    if (last !== lifetime) {
      this.#lifetimes[place] = last
      last.place = place
    }
    if (this.#lifetimes.length > 0 || this.#drained === undefined) return
    this.#timer?.cancel()
    this.#timer = undefined
    this.#drained.resolve()
    this.#drained = undefined
  }

  /**
   * Resolves when none runs. What still runs after `ms` is ended then; of several calls the one that ends it first
   * counts.
   */
  drain(ms: number): Promise<void> {
    const now = this.#clock.monotonic()
    const sooner = now + ms < this.#cutAt
    if (sooner) this.#cutAt = now + ms
    if (this.#lifetimes.length === 0) return Promise.resolve()
    this.#drained ??= withResolver()
    if (sooner || this.#timer === undefined) this.#arm(Math.max(0, this.#cutAt - now))
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

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}

/** What a gateway is doing, over all its requests and options. */
export class ServiceLoad {
  readonly running: RunningRequests
  readonly uploads = new Uploads()
  /** Running requests whose body is being received. */
  receiving = 0

  constructor(clock: Clock) {
    this.running = new RunningRequests(clock)
  }

  /** How many requests are being answered beside the one that asks. */
  get inFlight(): number {
    return this.running.size - 1 - this.receiving
  }
}

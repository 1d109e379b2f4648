import type { Lifetime } from './lifetime.ts'
import { Uploads } from './uploads.ts'

/** Node's timers fire at once beyond this. */
const longestTimer = 2_147_483_647

/** What is being answered. */
export class RunningRequests {
  /**
   * A list, and no set: one that is added to and taken from leaves old tables behind. Each holds what ran when it was
   * left, and the next table, so that the engine finds none of it to be garbage before it looks through all its memory.
   */
  readonly #lifetimes: Lifetime[] = []
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined
  /** When those that still run are ended. Monotonic milliseconds. */
  #cutAt = Number.POSITIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

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
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#drained.resolve()
    this.#drained = undefined
  }

  /**
   * Resolves when none runs. What still runs after `ms` is ended then; of several calls the one that ends it first
   * counts. `now` is monotonic milliseconds.
   */
  drain(ms: number, now: number): Promise<void> {
    const sooner = now + ms < this.#cutAt
    if (sooner) this.#cutAt = now + ms
    if (this.#lifetimes.length === 0) return Promise.resolve()
    this.#drained ??= withResolver()
    if (sooner || this.#timer === undefined) this.#arm(Math.max(0, this.#cutAt - now))
    return this.#drained.promise
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    if (ms > longestTimer) return
    this.#timer = setTimeout(() => {
      for (const lifetime of [...this.#lifetimes]) lifetime.end('gateway_closed')
    }, ms)
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
  readonly running = new RunningRequests()
  readonly uploads = new Uploads()
  /** Running requests whose body is being received. */
  receiving = 0

  /** How many requests are being answered beside the one that asks. */
  get inFlight(): number {
    return this.running.size - 1 - this.receiving
  }
}

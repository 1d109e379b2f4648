import type { Lifetime } from './lifetime.ts'

/** Node's timers fire at once beyond this. */
const longestTimer = 2_147_483_647

/** What is being answered. */
export class RunningRequests {
  readonly #lifetimes = new Set<Lifetime>()
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined
  /** When those that still run are ended. Monotonic milliseconds. */
  #cutAt = Number.POSITIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  get size(): number {
    return this.#lifetimes.size
  }

  add(lifetime: Lifetime): void {
    this.#lifetimes.add(lifetime)
  }

  delete(lifetime: Lifetime): void {
    this.#lifetimes.delete(lifetime)
    if (this.#lifetimes.size > 0 || this.#drained === undefined) return
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
    if (this.#lifetimes.size === 0) return Promise.resolve()
    this.#drained ??= withResolver()
    if (sooner || this.#timer === undefined) this.#arm(Math.max(0, this.#cutAt - now))
    return this.#drained.promise
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    if (ms > longestTimer) return
    this.#timer = setTimeout(() => {
      for (const lifetime of this.#lifetimes) lifetime.end('gateway_closed')
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

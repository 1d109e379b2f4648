const firstMs = 250
const longestMs = 5_000

/** Calls again after 250 milliseconds, and each time after twice as long, up to 5 seconds. Holds no process. */
export class RetryTimer {
  readonly #run: () => void
  #ms = firstMs
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(run: () => void) {
    this.#run = run
  }

  /** Once, however often it is called. */
  arm(): void {
    if (this.#timer !== undefined) return
    this.#timer = idleTimer(() => {
      this.#timer = undefined
      this.#run()
    }, this.#ms)
    this.#ms = Math.min(this.#ms * 2, longestMs)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** What it was armed for works: it begins with the shortest time again. */
  reset(): void {
    this.#ms = firstMs
  }
}

/** A timer that holds no process, where the platform has such. */
export function idleTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms)
  const { unref } = timer as { unref?: () => void }
  unref?.call(timer)
  return timer
}

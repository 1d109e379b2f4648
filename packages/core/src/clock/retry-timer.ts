import type { Clock, Timer } from './clock.ts'

const firstMs = 250
const longestMs = 5_000

/** Calls again after 250 milliseconds, and each time after twice as long, up to 5 seconds. Holds no process. */
export class RetryTimer {
  readonly #clock: Clock
  readonly #run: () => void
  #ms = firstMs
  #timer: Timer | undefined

  constructor(clock: Clock, run: () => void) {
    this.#clock = clock
    this.#run = run
  }

  /** Once, however often it is called. */
  arm(): void {
    if (this.#timer !== undefined) return
    const ring = () => {
      this.#timer = undefined
      this.#run()
    }
    this.#timer = this.#clock.setTimer(this.#ms, ring).unref()
    this.#ms = Math.min(this.#ms * 2, longestMs)
  }

  clear(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** What it was armed for works: it begins with the shortest time again. */
  reset(): void {
    this.#ms = firstMs
  }
}

import type { Clock, Timer } from '../../src/clock/clock.ts'

/** A clock that stands still until a test moves it. It starts at 0. */
export class ManualClock implements Clock {
  readonly now = () => this.#ms
  readonly monotonic = () => this.#ms
  readonly #timers = new Set<{ readonly dueAt: number; readonly run: () => void }>()
  #ms = 0

  /** How many timers are pending. */
  get pending(): number {
    return this.#timers.size
  }

  readonly setTimer = (ms: number, run: () => void): Timer => {
    const pending = { dueAt: this.#ms + ms, run }
    this.#timers.add(pending)
    const timer: Timer = {
      cancel: () => void this.#timers.delete(pending),
      unref: () => timer,
    }
    return timer
  }

  /** Lets time pass and runs the timers that are due. Promises are settled before and after each of them. */
  async pass(ms: number): Promise<void> {
    const until = this.#ms + ms
    await settled()
    for (let next = this.#due(until); next !== undefined; next = this.#due(until)) {
      this.#timers.delete(next)
      this.#ms = Math.max(this.#ms, next.dueAt)
      next.run()
      await settled()
    }
    this.#ms = until
  }

  /** Lets time pass while the process stands still: no timer runs. */
  stall(ms: number): void {
    this.#ms += ms
  }

  /** Forgets all timers, as a platform may that ends them with the request that set them. */
  loseTimers(): void {
    this.#timers.clear()
  }

  #due(until: number) {
    const due = [...this.#timers].filter(({ dueAt }) => dueAt <= until)
    return due.toSorted((one, other) => one.dueAt - other.dueAt)[0]
  }
}

/** Resolves when everything that waits for promises alone has run. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

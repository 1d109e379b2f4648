import { type Clock, maxTimerMs, type Timer } from './clock.ts'

export interface WakeTimerOptions {
  readonly clock: Clock
  /** Handles what is due, and calls `wakeAt` for the rest. */
  readonly ring: () => void
  /** Whether the timer does not keep the process alive. */
  readonly background: boolean
}

/** A single timer for many deadlines: it fires at the earliest one. */
export class WakeTimer {
  readonly #options: WakeTimerOptions
  #timer: Timer | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(options: WakeTimerOptions) {
    this.#options = options
  }

  /** Fires at that time, or earlier. */
  wakeAt(time: number): void {
    if (time >= this.#at) return
    this.clear()
    const { clock, ring, background } = this.#options
    const ms = Math.min(Math.max(Math.ceil(time - clock.monotonic()), 1), maxTimerMs)
    this.#at = time
    this.#timer = clock.setTimer(ms, () => {
      this.#forget()
      ring()
    })
    if (background) this.#timer.unref()
  }

  clear(): void {
    if (this.#timer === undefined) return
    this.#timer.cancel()
    this.#forget()
  }

  #forget(): void {
    this.#timer = undefined
    this.#at = Number.POSITIVE_INFINITY
  }
}

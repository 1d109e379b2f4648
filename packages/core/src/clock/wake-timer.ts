import { type Clock, maxTimerMs, type Timer } from './clock.ts'

export interface WakeTimerOptions {
  readonly clock: Clock
  /** Sees what is due, and asks to be woken for the rest. */
  readonly ring: () => void
  /** Whether nobody waits for it: then it does not keep a process alive. */
  readonly background: boolean
}

/** One timer for many things: it rings for the earliest of them. */
export class WakeTimer {
  readonly #options: WakeTimerOptions
  #timer: Timer | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(options: WakeTimerOptions) {
    this.#options = options
  }

  /** Rings at that time, or earlier. */
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

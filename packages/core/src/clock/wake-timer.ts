// A timer takes no more than 31 bits.
const longestMs = 2 ** 31 - 1

export interface WakeTimerOptions {
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** Sees what is due, and asks to be woken for the rest. */
  readonly ring: () => void
  /** Whether nobody waits for it: then it does not keep a process alive. */
  readonly background: boolean
}

/** One timer for many things: it rings for the earliest of them. */
export class WakeTimer {
  readonly #options: WakeTimerOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(options: WakeTimerOptions) {
    this.#options = options
  }

  /** Rings at that time, or earlier. */
  wakeAt(time: number): void {
    if (time >= this.#at) return
    this.clear()
    const { clock, ring, background } = this.#options
    const ms = Math.min(Math.max(Math.ceil(time - clock()), 1), longestMs)
    this.#at = time
    this.#timer = setTimeout(() => {
      this.#forget()
      ring()
    }, ms)
    if (background) unref(this.#timer)
  }

  clear(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#forget()
  }

  #forget(): void {
    this.#timer = undefined
    this.#at = Number.POSITIVE_INFINITY
  }
}

/** Where a timer would keep a process alive, this one does not. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref()
  }
}

/** The longest time of a timer, in milliseconds. Platforms run a timer at once where it is set for longer. */
export const maxTimerMs = 2_147_483_647

/** Reads the time and sets timers. */
export interface Clock {
  /** Milliseconds since 1970, by the clock of the machine. It can be set back: for dates, not for durations. */
  readonly now: () => number
  /** Milliseconds that never go back, counted from an arbitrary moment: for durations and deadlines. */
  readonly monotonic: () => number
  /**
   * Calls `run` once, after `ms` milliseconds, at most `maxTimerMs`. It may be called a millisecond early. Where the
   * process itself stood still, as when the machine slept, what arrived meanwhile is handled before `run` is called.
   */
  readonly setTimer: (ms: number, run: () => void) => Timer
}

/** A timer that was set. */
export interface Timer {
  /** Keeps it from running. Does nothing where it has run. */
  cancel(): void
  /** Lets the process end while the timer is pending, on platforms where timers keep it alive. Returns the timer. */
  unref(): this
}

/** The clock of this process: what a gateway is created with. Everything else takes a clock as an argument. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (ms, run) => new SystemTimer(ms, run),
}

/** A timer that is later than this was held up by the process, not by what is waited for. */
export const stallMs = 250
/** What arrived while the process stood still is handled within this time. */
const graceMs = 50

class SystemTimer implements Timer {
  readonly #run: () => void
  readonly #dueAt: number
  #timer: ReturnType<typeof setTimeout>

  constructor(ms: number, run: () => void) {
    this.#run = run
    this.#dueAt = performance.now() + ms
    this.#timer = setTimeout(SystemTimer.#fire, ms, this)
  }

  static #fire(timer: SystemTimer): void {
    if (performance.now() - timer.#dueAt > stallMs) timer.#timer = setTimeout(timer.#run, graceMs)
    else timer.#run()
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }

  unref(): this {
    const { unref } = this.#timer as { unref?: () => void }
    unref?.call(this.#timer)
    return this
  }
}

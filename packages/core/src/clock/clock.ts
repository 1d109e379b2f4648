/** The maximum time of a timer, in milliseconds. Runtimes fire longer timers at once. */
export const maxTimerMs = 2_147_483_647

/** Reads the time and sets timers. */
export interface Clock {
  /** Returns milliseconds since 1970, by the system clock. It can be set back: for dates, not for durations. */
  readonly now: () => number
  /** Returns monotonic milliseconds from an arbitrary origin, for durations and timeouts. */
  readonly monotonic: () => number
  /**
   * Calls `run` once, after `ms` milliseconds, at most `maxTimerMs`. It may be called a millisecond early. After a stall of the
   * process, such as a suspend, pending I/O is handled before `run` is called.
   */
  readonly setTimer: (ms: number, run: () => void) => Timer
}

/** A pending timer. */
export interface Timer {
  /** Cancels the timer. Has no effect after it has fired. */
  cancel(): void
  /** Lets the process end while the timer is pending, on platforms where timers keep it alive. Returns the timer. */
  unref(): this
}

/** Whether a value is a `Clock`. */
export function isClock(value: unknown): value is Clock {
  const { now, monotonic, setTimer } = (value ?? {}) as { readonly [Name in keyof Clock]?: unknown }
  return [now, monotonic, setTimer].every(member => typeof member === 'function')
}

/** What an option that is a clock has to be. */
export const expectedClock = 'a clock: an object with the functions now, monotonic and setTimer'

/** The system clock. Only the entry points use it; everything else takes a clock as an argument. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (ms, run) => new SystemTimer(ms, run),
}

/** A timer that fires later than this, in milliseconds, was delayed by a stall of the process. */
export const stallMs = 250
/** Time for pending I/O to be handled after a stall, in milliseconds. */
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

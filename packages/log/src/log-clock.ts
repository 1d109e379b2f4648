/** Time and timers of a request log. */
export interface LogClock {
  /** Returns milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `ms` milliseconds, and does not keep the process alive. Returns a function that cancels it. */
  setTimer(ms: number, run: () => void): () => void
}

/** The clock of the platform. */
export const systemClock: LogClock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    const timer: unknown = setTimeout(run, ms)
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  },
}

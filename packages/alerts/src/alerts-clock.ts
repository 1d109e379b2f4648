/** Time and timers of alerts. */
export interface AlertsClock {
  /** Returns milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `ms` milliseconds, and does not keep the process alive. Returns a function that cancels it. */
  setTimer(ms: number, run: () => void): () => void
}

/** The clock of the platform. */
export const systemClock: AlertsClock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

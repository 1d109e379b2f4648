import { systemClock } from '../clock/clock.ts'

/** A point in time, in integer microseconds. */
export interface Moment {
  /** Monotonic: not affected when the system clock is set. */
  readonly us: number
  /** Since 1970, by the system clock. */
  readonly wallUs: number
}

/**
 * Returns a function that reads both times. A given clock is used for both: when it is set back, the monotonic time does not
 * advance for that step. If it returns no number, or throws, neither time advances.
 *
 * @param now - returns milliseconds since 1970.
 */
export function storeClock(now?: () => number): () => Moment {
  if (now === undefined) {
    const { monotonic, now: wall } = systemClock
    return () => ({ us: Math.floor(monotonic() * 1_000), wallUs: Math.round(wall() * 1_000) })
  }
  let us: number | undefined
  let wallUs = 0
  return () => {
    const read = Math.round(readingOf(now) * 1_000)
    if (Number.isFinite(read)) {
      us = us === undefined ? read : us + Math.max(0, read - wallUs)
      wallUs = read
    }
    return { us: us ?? 0, wallUs }
  }
}

function readingOf(now: () => number): number {
  try {
    return now()
  } catch {
    return Number.NaN
  }
}

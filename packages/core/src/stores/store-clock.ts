import { systemClock } from '../clock/clock.ts'

/** What time it is, in whole microseconds. */
export interface Moment {
  /** Never goes back, and does not jump where the clock of the machine is set. */
  readonly us: number
  /** Since 1970, as the clock of the machine says. */
  readonly wallUs: number
}

/**
 * Reads both times. A given clock counts for both: where it is set back, time stands still for that step and then
 * goes on. Where it gives no number, or throws, time stands still.
 *
 * @param now - milliseconds since 1970.
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

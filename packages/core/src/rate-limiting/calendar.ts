import type { BudgetWindow } from '../contracts/principal.ts'

const hourUs = 3_600_000_000
const spans = { hour: hourUs, day: 24 * hourUs, week: 168 * hourUs } as const
/** The first Monday after 1970 began, on a Thursday. */
const mondayUs = 96 * hourUs

/** The number of the window that a time lies in, by the calendar in UTC. Times are in microseconds since 1970. */
export function windowAt(window: BudgetWindow, atUs: number): number {
  if (window === 'ever') return 0
  if (window === 'month') {
    const date = new Date(Math.floor(atUs / 1_000))
    return date.getUTCFullYear() * 12 + date.getUTCMonth()
  }
  return Math.floor((atUs - (window === 'week' ? mondayUs : 0)) / spans[window])
}

/** When a window begins; `Infinity` where it never does, or too far away for a date. */
export function windowStart(window: BudgetWindow, index: number): number {
  if (window === 'ever') return Number.POSITIVE_INFINITY
  if (window === 'month') {
    const start = Date.UTC(Math.floor(index / 12), index % 12) * 1_000
    return Number.isNaN(start) ? Number.POSITIVE_INFINITY : start
  }
  return index * spans[window] + (window === 'week' ? mondayUs : 0)
}

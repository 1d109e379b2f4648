import type { BudgetWindow } from '@sluice/core/limits'

/** A window of a budget in UTC: its name, and when it ends. */
export interface WindowAt {
  readonly name: string
  /** Milliseconds since 1970; `Infinity` for `ever`. */
  readonly endsAt: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The first Monday since 1970. */
const mondayMs = 4 * dayMs

/** Returns the window that a time is in. */
export function budgetWindowAt(window: BudgetWindow, ms: number): WindowAt {
  const sliced = (span: number, offset = 0): WindowAt => {
    const index = Math.floor((ms - offset) / span)
    return { name: `${window} ${index}`, endsAt: (index + 1) * span + offset }
  }
  switch (window) {
    case 'hour':
      return sliced(hourMs)
    case 'day':
      return sliced(dayMs)
    case 'week':
      return sliced(7 * dayMs, mondayMs)
    case 'month': {
      const date = new Date(ms)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      return { name: `month ${year}-${month + 1}`, endsAt: Date.UTC(year, month + 1) }
    }
    case 'ever':
      return { name: 'ever', endsAt: Number.POSITIVE_INFINITY }
  }
}

import { clock, dayAndClock } from '../format/clock.ts'
import type { ChartUnit } from './chart-types.ts'

const time: Omit<ChartUnit, 'name'> = {
  axis: at => clock(new Date(at)),
  text: at => dayAndClock(new Date(at)),
}

/** Minutes and hours are those of the reader, days those of UTC: so the ledger sums them. */
export const chartUnits = {
  minutes: { ...time, name: 'minute' },
  hours: { ...time, name: 'hour' },
  days: {
    name: 'day',
    axis: at => new Date(at).toLocaleDateString([], { month: 'short', day: 'numeric', timeZone: 'UTC' }),
    text: at => `${new Date(at).toLocaleDateString([], { dateStyle: 'medium', timeZone: 'UTC' })} (UTC)`,
  },
} as const satisfies Readonly<Record<string, ChartUnit>>

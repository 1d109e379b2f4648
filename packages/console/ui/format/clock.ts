/** A time of day where the reader is, of 24 hours from `00` on: `00:05`, `18:36`, or `18:36:07` to the second. */
export function clock(moment: Date, to: 'minute' | 'second' = 'minute'): string {
  // With `hour12: false` browsers write midnight as 24:00 in some languages, English among them.
  return moment.toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: to === 'second' ? '2-digit' : undefined,
    hourCycle: 'h23',
  })
}

/** A day where the reader is, without its year: `Nov 22`. */
export function day(moment: Date): string {
  return moment.toLocaleDateString([], { month: 'short', day: 'numeric' })
}

/** The same with its day before it: `Nov 22, 2026, 18:36`. */
export function dayAndClock(moment: Date): string {
  return moment.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
}

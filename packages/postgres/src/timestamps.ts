/** SQL for the moment that is so many milliseconds since 1970. */
export function timestampFromMs(ms: string): string {
  return `(timestamptz 'epoch' + ${ms} * interval '1 millisecond')`
}

/** SQL for the milliseconds since 1970 of a moment. */
export function msFromTimestamp(moment: string): string {
  return `round((extract(epoch from ${moment}) * 1000)::numeric)::bigint`
}

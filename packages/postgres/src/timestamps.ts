/** SQL that converts milliseconds since 1970 to a timestamp. */
export function timestampFromMs(ms: string): string {
  return `(timestamptz 'epoch' + ${ms} * interval '1 millisecond')`
}

/** SQL that converts a timestamp to milliseconds since 1970. */
export function msFromTimestamp(moment: string): string {
  return `round((extract(epoch from ${moment}) * 1000)::numeric)::bigint`
}

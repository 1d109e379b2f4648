/** A period of time, in monotonic milliseconds. */
export interface Span {
  readonly from: number
  /** `undefined` if it has not ended. */
  readonly to: number | undefined
}

/** Returns how long at least one of the spans was active, up to `until`. They must be sorted by `from`. */
export function busyTime(spans: readonly Span[], until: number): number {
  let busy = 0
  let coveredTo = Number.NEGATIVE_INFINITY
  for (const { from, to = until } of spans) {
    const end = Math.min(to, until)
    if (end <= coveredTo) continue
    busy += Math.max(0, end - Math.max(from, coveredTo))
    coveredTo = end
  }
  return busy
}

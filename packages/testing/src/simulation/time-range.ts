/** A period of a simulation, in milliseconds since its beginning. */
export interface TimeRange {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/** Returns the first range that a time is in. */
export function rangeAt<Range extends TimeRange>(
  ranges: readonly Range[] | undefined,
  now: number,
): Range | undefined {
  return ranges?.find(({ fromMs, toMs }) => fromMs <= now && now < toMs)
}

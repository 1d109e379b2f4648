/** Where a value lies among others: half of them are at most `at(50)`. */
export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Percentiles by the nearest rank. Of no values all are `NaN`. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
  return { count: sorted.length, p50: at(50), p99: at(99), max: at(100) }
}

/** A line through points, by least squares. */
export interface Line {
  /** Of y for each x. */
  readonly slope: number
  /** Half the width of the slope's interval of 95 % confidence. */
  readonly error: number
  /** y where the points begin. */
  readonly start: number
  /** How much y grows along the line, from the first point to the last. */
  readonly growth: number
}

/** Of fewer than three points the error is infinite. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): Line {
  const count = points.length
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count
  const middle = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))] as const
  const spread = points.reduce((sum, [x]) => sum + (x - middle[0]) ** 2, 0)
  const slope = points.reduce((sum, [x, y]) => sum + (x - middle[0]) * (y - middle[1]), 0) / spread
  const on = (x: number) => middle[1] + slope * (x - middle[0])
  const missed = points.reduce((sum, [x, y]) => sum + (y - on(x)) ** 2, 0)
  const error = count < 3 ? Number.POSITIVE_INFINITY : 2 * Math.sqrt(missed / (count - 2) / spread)
  const first = points[0]?.[0] ?? Number.NaN
  const last = points.at(-1)?.[0] ?? Number.NaN
  return { slope, error, start: on(first), growth: on(last) - on(first) }
}

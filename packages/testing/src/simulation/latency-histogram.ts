/** The relative width of a bucket: percentiles are exact to 2 %. */
const growth = 1.02
const logGrowth = Math.log(growth)

/** Counts durations in buckets that grow by 2 %, so that percentiles of any number of them take little memory. */
export class LatencyHistogram {
  count = 0
  readonly #buckets = new Map<number, number>()

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, 0.01)) / logGrowth)
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
    this.count++
  }

  /** Returns the duration in milliseconds that a share of all, from 0 to 1, does not exceed; 0 without any. */
  percentile(share: number): number {
    const buckets = [...this.#buckets].sort(([one], [other]) => one - other)
    let left = Math.ceil(share * this.count)
    for (const [bucket, count] of buckets) {
      left -= count
      if (left <= 0) return growth ** bucket
    }
    return 0
  }
}

/** Each bucket reaches 6 % further than the one before it: a value in its middle is at most 3 % off. */
const growth = Math.log(1.06)
const middle = 2 / 2.06
const minMs = 0.1
const maxMs = 36_000_000
/** Room that is made on both sides when a span grows. */
const margin = 8

/** The first bucket, and the counts of the buckets from there on. */
export type LatenciesSnapshot = readonly [number, readonly number[]]

/**
 * Counts of spans of time in buckets that grow by the logarithm (as DDSketch does it), of which percentiles are read
 * with a relative error of 3 % at most, from 0.1 ms to 10 hours; what is outside counts as the nearest of those. It
 * holds the buckets between the least and the largest value alone: some hundred bytes, 1.4 KB at most.
 */
export class Latencies {
  count = 0
  #from = 0
  #counts = new Uint32Array(0)

  /** Milliseconds. What is no span of time is not counted. */
  add(ms: number): void {
    if (!(ms >= 0)) return
    const bucket = Math.ceil(Math.log(Math.min(Math.max(ms, minMs), maxMs)) / growth)
    this.#reach(bucket, bucket)
    this.#counts[bucket - this.#from]! += 1
    this.count++
  }

  addAll(other: Latencies): void {
    if (other.count === 0) return
    this.#reach(other.#from, other.#from + other.#counts.length - 1)
    for (const [at, count] of other.#counts.entries()) this.#counts[at + other.#from - this.#from]! += count
    this.count += other.count
  }

  /** Its buckets: the first one, and the counts from there on. */
  snapshot(): LatenciesSnapshot {
    return [this.#from, [...this.#counts]]
  }

  addSnapshot([from, counts]: LatenciesSnapshot): void {
    if (counts.length === 0) return
    this.#reach(from, from + counts.length - 1)
    for (const [at, count] of counts.entries()) {
      this.#counts[at + from - this.#from]! += count
      this.count += count
    }
  }

  /** The least value that `share` (0 to 1) of all do not exceed, in milliseconds; `null` where there is none. */
  percentile(share: number): number | null {
    if (this.count === 0) return null
    let left = Math.max(1, Math.ceil(share * this.count))
    let at = -1
    while (left > 0) left -= this.#counts[++at] ?? left
    return Math.exp((this.#from + at) * growth) * middle
  }

  #reach(low: number, high: number): void {
    const to = this.#from + this.#counts.length - 1
    if (this.#counts.length > 0 && low >= this.#from && high <= to) return
    const fresh = this.#counts.length === 0
    const from = fresh ? low - margin : low < this.#from ? low - margin : this.#from
    const end = fresh ? high + margin : high > to ? high + margin : to
    const counts = new Uint32Array(end - from + 1)
    if (!fresh) counts.set(this.#counts, this.#from - from)
    this.#counts = counts
    this.#from = from
  }
}

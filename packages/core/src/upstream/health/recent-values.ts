const buckets = 10

/** Counts events within a span that ends now, to a tenth of the span. Its memory does not grow. */
export class RecentCount {
  readonly #counts: number[] = new Array<number>(buckets).fill(0)
  #spanMs = 0
  #tick = 0
  #total = 0

  /** A different span starts counting at 0. */
  add(now: number, spanMs: number): void {
    this.#turn(now, spanMs)
    const at = this.#tick % buckets
    this.#counts[at] = this.#counts[at]! + 1
    this.#total++
  }

  within(spanMs: number, now: number): number {
    this.#turn(now, spanMs)
    return this.#total
  }

  clear(): void {
    this.#counts.fill(0)
    this.#total = 0
  }

  #turn(now: number, spanMs: number): void {
    const tick = Math.floor((now * buckets) / spanMs)
    if (tick === this.#tick && spanMs === this.#spanMs) return
    if (spanMs !== this.#spanMs || tick - this.#tick >= buckets) this.clear()
    else {
      // A clock that goes back adds to the current bucket.
      if (tick < this.#tick) return
      for (let past = this.#tick + 1; past <= tick; past++) {
        this.#total -= this.#counts[past % buckets]!
        this.#counts[past % buckets] = 0
      }
    }
    this.#spanMs = spanMs
    this.#tick = tick
  }
}

/** After how long without a measurement the value is unknown: else it would decay to 0 and attract every request. */
const knownMs = 60_000

/** The time in which the value decays to 1/e, in milliseconds. */
const decayMs = 10_000

/**
 * A moving average that rises to a peak at once and decays slowly (peak EWMA, as in Finagle's load balancer). It also decays
 * without measurements, so that a target that was slow is tried again.
 */
export class PeakAverage {
  #value: number | undefined
  #at = 0

  add(measured: number, now: number): void {
    const old = this.#value
    if (old === undefined || measured >= old || now - this.#at > knownMs) this.#value = measured
    else {
      const kept = Math.exp(Math.min(0, this.#at - now) / decayMs)
      this.#value = measured + (old - measured) * kept
    }
    this.#at = now
  }

  /** Returns `undefined` where nothing was measured for a minute. */
  value(now: number): number | undefined {
    if (this.#value === undefined || now - this.#at > knownMs) return undefined
    return this.#value * Math.exp(Math.min(0, this.#at - now) / decayMs)
  }
}

/** So long after its last measurement nothing is known any more: else it would fall to nothing, and draw everybody. */
const knownMs = 60_000

/** In so many milliseconds it falls to 1/e of what it was. */
const decayMs = 10_000

/**
 * A moving average that rises to a peak at once and falls slowly (peak EWMA, as of Finagle's load balancer). It falls
 * also while nothing is measured, so that what was slow once is tried again.
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

  /** `undefined` where nothing was measured for a minute. */
  value(now: number): number | undefined {
    if (this.#value === undefined || now - this.#at > knownMs) return undefined
    return this.#value * Math.exp(Math.min(0, this.#at - now) / decayMs)
  }
}

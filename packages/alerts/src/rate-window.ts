/** Requests of one span of time, and how many of them count. */
export class RateWindow {
  readonly #windowMs: number
  #slot = Number.NEGATIVE_INFINITY
  #total = 0
  #marked = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Adds a request. Spans begin at the same times in all processes. */
  add(now: number, isMarked: boolean): void {
    const slot = Math.floor(now / this.#windowMs)
    if (slot !== this.#slot) {
      this.#slot = slot
      this.#total = 0
      this.#marked = 0
    }
    this.#total++
    if (isMarked) this.#marked++
  }

  get slot(): number {
    return this.#slot
  }

  get total(): number {
    return this.#total
  }

  get share(): number {
    return this.#total === 0 ? 0 : this.#marked / this.#total
  }
}

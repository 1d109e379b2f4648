import type { Clock } from '../clock/clock.ts'
/** Which turn of its life a breaker was in when an operation began. What comes of an earlier turn is not heard. */
export type Turn = number

export interface StoreBreakerOptions {
  readonly clock: Clock
  /** Told once for each change. */
  readonly changed: (state: 'failing' | 'working', error: unknown) => void
}

const failuresToOpen = 5
const windowMs = 5_000
/** From the first probe on; doubled for each that fails. With the longest wait of an operation it stays below 5 s. */
const firstProbeMs = 250
const lastProbeMs = 4_000
/** Who fails again so soon is probed as late as it was before. */
const steadyMs = 10_000

/**
 * Says whether a store may be asked. It opens after 5 failures in a row, and after 5 within 5 s where no less than
 * half of what was asked failed. While it is open only a probe asks, one at a time; one that succeeds closes it.
 */
export class StoreBreaker {
  readonly #options: StoreBreakerOptions
  #state: 'closed' | 'open' | 'probing' = 'closed'
  #turn: Turn = 0
  #error: unknown
  #inRow = 0
  #windowFrom = Number.NEGATIVE_INFINITY
  #windowFailures = 0
  #windowResults = 0
  #probeMs = firstProbeMs
  #probeAt = 0
  #closedAt = Number.NEGATIVE_INFINITY

  constructor(options: StoreBreakerOptions) {
    this.#options = options
  }

  get closed(): boolean {
    return this.#state === 'closed'
  }

  /** What the store failed with, while it is done without. */
  get error(): unknown {
    return this.#error
  }

  /** When the next probe may be made; `undefined` while none is needed, or one is under way. */
  get probeAt(): number | undefined {
    return this.#state === 'open' ? this.#probeAt : undefined
  }

  /** The turn of an operation that may begin; `undefined` while the store is not to be asked. */
  begin(): Turn | undefined {
    return this.#state === 'closed' ? this.#turn : undefined
  }

  /** The turn of a probe that may begin: one at a time, and none before its time. */
  beginProbe(): Turn | undefined {
    if (this.#state !== 'open' || this.#options.clock.monotonic() < this.#probeAt) return undefined
    this.#state = 'probing'
    return ++this.#turn
  }

  succeeded(turn: Turn): void {
    if (turn !== this.#turn) return
    this.#inRow = 0
    if (this.#state === 'closed') this.#count(false)
    else this.#close()
  }

  failed(turn: Turn, error: unknown): void {
    if (turn !== this.#turn) return
    if (this.#state === 'probing') {
      this.#probeMs = Math.min(this.#probeMs * 2, lastProbeMs)
      this.#open(error)
      return
    }
    this.#inRow++
    this.#count(true)
    const often = this.#windowFailures >= failuresToOpen && this.#windowFailures * 2 >= this.#windowResults
    if (this.#inRow < failuresToOpen && !often) return
    const steady = this.#options.clock.monotonic() - this.#closedAt >= steadyMs
    this.#probeMs = steady ? firstProbeMs : Math.min(this.#probeMs * 2, lastProbeMs)
    this.#open(error)
    this.#options.changed('failing', error)
  }

  #count(failure: boolean): void {
    const now = this.#options.clock.monotonic()
    if (now - this.#windowFrom >= windowMs) {
      this.#windowFrom = now
      this.#windowFailures = 0
      this.#windowResults = 0
    }
    this.#windowResults++
    if (failure) this.#windowFailures++
  }

  #open(error: unknown): void {
    this.#turn++
    this.#state = 'open'
    this.#error = error
    this.#probeAt = this.#options.clock.monotonic() + this.#probeMs
  }

  #close(): void {
    this.#turn++
    this.#state = 'closed'
    this.#error = undefined
    this.#inRow = 0
    this.#windowFrom = Number.NEGATIVE_INFINITY
    this.#closedAt = this.#options.clock.monotonic()
    this.#options.changed('working', undefined)
  }
}

import type { Clock } from '../clock/clock.ts'
/** Which turn of its life a breaker was in when an operation began. What comes of an earlier turn is not heard. */
export type Turn = number

/** When a breaker opens, and when it lets a probe through. */
export interface StoreBreakerPolicy {
  /** So many failures in a row open it, and so many within the window. Default 5. */
  readonly failuresToOpen?: number
  /** Where at least half of the calls of such a window fail. Default 5,000 ms; 0 for failures in a row alone. */
  readonly windowMs?: number
  /** Wait before the first probe; it doubles with each that fails. Default 250 ms. */
  readonly firstProbeMs?: number
  /** Longest wait before a probe. Default 4,000 ms: with the timeout of a call it stays below 5 s. */
  readonly lastProbeMs?: number
}

export interface StoreBreakerOptions extends StoreBreakerPolicy {
  /** A clock that is set back does not delay a probe. */
  readonly clock: Clock
  /** Called once for each change. */
  readonly changed: (state: 'failing' | 'working', error: unknown) => void
}

/** A store that fails again so soon is probed as late as it was before. */
const steadyMs = 10_000

/**
 * Decides whether a store may be called. It opens after 5 failures in a row, and after 5 within 5 s where at least
 * half of the calls failed. While it is open only a probe goes through, one at a time; one that succeeds closes it.
 */
export class StoreBreaker {
  readonly #options: Required<StoreBreakerOptions>
  #state: 'closed' | 'open' | 'probing' = 'closed'
  #turn: Turn = 0
  #error: unknown
  #inRow = 0
  #windowFrom = Number.NEGATIVE_INFINITY
  #windowFailures = 0
  #windowResults = 0
  #probeMs: number
  #openedAt = 0
  #probeAt = 0
  #closedAt = Number.NEGATIVE_INFINITY

  constructor(options: StoreBreakerOptions) {
    const defaults = { failuresToOpen: 5, windowMs: 5_000, firstProbeMs: 250, lastProbeMs: 4_000 }
    this.#options = { ...defaults, ...options }
    this.#probeMs = this.#options.firstProbeMs
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
    if (this.#state !== 'open') return undefined
    const now = this.#options.clock.monotonic()
    if (now >= this.#openedAt && now < this.#probeAt) return undefined
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
    const { clock, changed, failuresToOpen, firstProbeMs, lastProbeMs } = this.#options
    if (this.#state === 'probing') {
      this.#probeMs = Math.min(this.#probeMs * 2, lastProbeMs)
      this.#open(error)
      return
    }
    this.#inRow++
    this.#count(true)
    const often = this.#windowFailures >= failuresToOpen && this.#windowFailures * 2 >= this.#windowResults
    if (this.#inRow < failuresToOpen && !often) return
    const steady = clock.monotonic() - this.#closedAt >= steadyMs
    this.#probeMs = steady ? firstProbeMs : Math.min(this.#probeMs * 2, lastProbeMs)
    this.#open(error)
    changed('failing', error)
  }

  #count(failure: boolean): void {
    const now = this.#options.clock.monotonic()
    const age = now - this.#windowFrom
    if (age < 0 || age >= this.#options.windowMs) {
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
    this.#openedAt = this.#options.clock.monotonic()
    this.#probeAt = this.#openedAt + this.#probeMs
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

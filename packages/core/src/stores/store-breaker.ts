import type { Clock } from '../clock/clock.ts'
/** Counts the state changes of a breaker. Results of operations from an earlier state are ignored. */
export type Turn = number

/** When a breaker opens, and when it allows a probe. */
export interface StoreBreakerPolicy {
  /** Consecutive failures that open the breaker, and minimum number of failures within the window. Default 5. */
  readonly failuresToOpen?: number
  /** Window in which at least half of the calls must fail to open it, in ms; 0: only consecutive failures. Default 5,000. */
  readonly windowMs?: number
  /** Wait before the first probe, in ms; it doubles with each failed probe. Default 250. */
  readonly firstProbeMs?: number
  /** Maximum wait before a probe, in ms. Default 4,000: with the timeout of a call, it stays below 5 s. */
  readonly lastProbeMs?: number
}

export interface StoreBreakerOptions extends StoreBreakerPolicy {
  readonly clock: Clock
  /** Called once per change. */
  readonly changed: (state: 'failing' | 'working', error: unknown) => void
}

/** A breaker that opens again within this time (ms) continues with the last probe interval. */
const steadyMs = 10_000

/**
 * The circuit breaker of a store. It opens after 5 consecutive failures, and after 5 failures within 5 s if at least half of
 * the calls failed. While it is open, it allows one probe at a time. A successful probe closes it.
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

  /** The error that opened the breaker; `undefined` while it is closed. */
  get error(): unknown {
    return this.#error
  }

  /** When the next probe is allowed; `undefined` while the breaker is closed or a probe is running. */
  get probeAt(): number | undefined {
    return this.#state === 'open' ? this.#probeAt : undefined
  }

  /** Begins an operation. Returns `undefined` while the breaker is not closed. */
  begin(): Turn | undefined {
    return this.#state === 'closed' ? this.#turn : undefined
  }

  /** Begins a probe. Returns `undefined` if none is due, or one is running. */
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

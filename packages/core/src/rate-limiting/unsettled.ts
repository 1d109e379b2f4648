import type { Clock } from '../clock/clock.ts'
import type { Settlement } from '../contracts/limit-store.ts'

interface Waiting {
  readonly settlement: Settlement
  readonly since: number
}

const maxWaiting = 10_000
/** After an hour a store corrects nothing any more. */
const uselessMs = 3_600_000

/**
 * Settlements that the store has not taken yet. Of more than 10,000 the oldest is dropped, and what it held is given
 * back by the store itself when its time is over: so is one that is an hour old.
 */
export class Unsettled {
  readonly #waiting = new Map<string, Waiting>()
  readonly #clock: Clock
  readonly #dropped: (error: Error) => void
  #told = false

  /** `dropped` is told once, until all others are settled. */
  constructor(clock: Clock, dropped: (error: Error) => void) {
    this.#clock = clock
    this.#dropped = dropped
  }

  get size(): number {
    return this.#waiting.size
  }

  add(settlement: Settlement): void {
    this.#waiting.set(settlement.id, { settlement, since: this.#clock.monotonic() })
    if (this.#waiting.size <= maxWaiting) return
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined) this.#waiting.delete(oldest)
    this.#tell(`More than ${maxWaiting} settlements wait for the limit store: the oldest are dropped.`)
  }

  /** The store has taken it, or never will. */
  remove(id: string): void {
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#told = false
  }

  /** Those that are tried next. Who fails again stands behind all others then. */
  next(count: number): readonly Settlement[] {
    const now = this.#clock.monotonic()
    const batch: Settlement[] = []
    for (const [id, waiting] of this.#waiting) {
      if (batch.length === count) break
      if (now - waiting.since < uselessMs) {
        batch.push(waiting.settlement)
        continue
      }
      this.#tell('The limit store did not take a settlement within an hour: it is dropped.')
      this.remove(id)
    }
    return batch
  }

  /** It failed again. */
  postpone(id: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    this.#waiting.set(id, waiting)
  }

  #tell(message: string): void {
    if (this.#told) return
    this.#told = true
    this.#dropped(new Error(message))
  }
}

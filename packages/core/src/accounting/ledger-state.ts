import type { Observer } from '../contracts/events.ts'

/** What of a ledger fails at the moment. Told when the first of it begins to, and when the last of it works again. */
export class LedgerState {
  readonly #observe: Observer
  readonly #failing = new Set<string>()

  /** `observe` must not throw. */
  constructor(observe: Observer) {
    this.#observe = observe
  }

  fails(part: string, error: unknown): void {
    const told = this.#failing.size > 0
    this.#failing.add(part)
    if (!told) this.#observe({ type: 'store', store: 'ledger', state: 'failing', error })
  }

  works(part: string): void {
    if (this.#failing.delete(part) && this.#failing.size === 0) {
      this.#observe({ type: 'store', store: 'ledger', state: 'working', error: undefined })
    }
  }
}

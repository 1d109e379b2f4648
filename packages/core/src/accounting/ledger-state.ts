import type { Observer } from '../contracts/events.ts'

/** Which parts of a ledger fail. Reports when the first begins to fail, and when the last works again. */
export class LedgerState {
  readonly #observe: Observer
  readonly #failing = new Set<string>()

  /** `observe` must not throw. */
  constructor(observe: Observer) {
    this.#observe = observe
  }

  fails(part: string, error: unknown): void {
    const reported = this.#failing.size > 0
    this.#failing.add(part)
    if (!reported) this.#observe({ type: 'store', store: 'ledger', state: 'failing', error })
  }

  works(part: string): void {
    if (this.#failing.delete(part) && this.#failing.size === 0) {
      this.#observe({ type: 'store', store: 'ledger', state: 'working', error: undefined })
    }
  }
}

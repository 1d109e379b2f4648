import type { Charge, Ledger, LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import { GatewayError } from '../errors/errors.ts'

/** The ledger entry of a request: opened before a target is called, closed when the request has ended. */
export class RequestEntry {
  readonly entry: LedgerEntry
  /** A copy, as the ledger may change the entry once it is opened. */
  readonly openedAt: number
  readonly #ledger: Ledger
  /** While the entry is being opened. */
  #opening: Promise<unknown> | undefined
  /** Whether the request failed because its entry could not be written. */
  #refused = false

  constructor(ledger: Ledger, entry: LedgerEntry) {
    this.#ledger = ledger
    this.entry = entry
    this.openedAt = entry.openedAt
  }

  /** Throws 503 where the entry cannot be written and the request `spends` from a budget. */
  async open(progress: () => Charge | undefined, spends: () => boolean): Promise<void> {
    const opening = (async () => this.#ledger.open(this.entry, progress))()
    this.#opening = opening.catch(() => {})
    try {
      await opening
    } catch (error) {
      if (spends()) {
        this.#refused = true
        throw new GatewayError('ledger_unavailable', { cause: error })
      }
    } finally {
      this.#opening = undefined
    }
  }

  /** Closes the entry once it is opened, so that a ledger gets the two in order. */
  close(closing: LedgerClosing): void | Promise<void> {
    const ledger = this.#ledger
    if (this.#refused && ledger.cancel !== undefined) return ledger.cancel(this.entry)
    const close = () => ledger.close(closing)
    return this.#opening === undefined ? close() : this.#opening.then(close)
  }
}

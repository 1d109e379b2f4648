import type { Clock, Timer } from '../clock/clock.ts'
import type { LedgerRepository } from '../contracts/ledger-repository.ts'
import type { LedgerState } from './ledger-state.ts'

/** When a sweep that failed is retried, in ms. */
const againMs = 5_000
/** The timeout of a sweep, in ms: a longer one has a client that hangs. */
const longestMs = 30_000

/** Closes records that crashes left open: at the first use of the database, then every `silentMs` while it is used. */
export class OrphanSweep {
  readonly #rows: LedgerRepository
  readonly #silentMs: number
  readonly #state: LedgerState
  readonly #clock: Clock
  #dueAt = Number.NEGATIVE_INFINITY
  #running = false
  #used = false
  #first = true

  constructor(rows: LedgerRepository, silentMs: number, state: LedgerState, clock: Clock) {
    this.#rows = rows
    this.#silentMs = silentMs
    this.#state = state
    this.#clock = clock
  }

  /** Whether a sweep is due after this one: the ledger was used since. */
  get owed(): boolean {
    return this.#used || this.#running
  }

  use(): void {
    this.#used = true
  }

  /**
   * The database is available again: other processes need time to write their heartbeats first. A sweep that failed meanwhile
   * failed for the outage, which is no error of its own.
   */
  postpone(): void {
    this.#dueAt = this.#clock.monotonic() + this.#silentMs
    this.#state.works('orphans')
  }

  /** Starts a sweep where it is due. One at a time, apart from one that timed out. */
  run(): void {
    if (this.#clock.monotonic() < this.#dueAt) return
    this.#dueAt = this.#clock.monotonic() + this.#silentMs
    if (this.#running) {
      this.#state.fails('orphans', new Error('closeOrphans has not come to its end for a long time.'))
      return
    }
    this.#running = true
    // The next sweep finds records of a process that died just before this one.
    this.#used = this.#first
    this.#first = false
    void this.#sweep()
  }

  async #sweep(): Promise<void> {
    try {
      await this.#closed()
      this.#state.works('orphans')
    } catch (error) {
      this.#used = true
      this.#dueAt = this.#clock.monotonic() + Math.min(againMs, this.#silentMs)
      this.#state.fails('orphans', error)
    }
    this.#running = false
  }

  async #closed(): Promise<void> {
    let timer: Timer | undefined
    const given = new Promise<never>((_, reject) => {
      const expired = () => reject(new Error(`closeOrphans timed out after ${longestMs} ms.`))
      timer = this.#clock.setTimer(longestMs, expired).unref()
    })
    try {
      await Promise.race([this.#rows.closeOrphans(this.#silentMs), given])
    } finally {
      timer?.cancel()
    }
  }
}

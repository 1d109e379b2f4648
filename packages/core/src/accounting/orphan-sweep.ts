import type { Clock, Timer } from '../clock/clock.ts'
import type { LedgerRepository } from '../contracts/ledger-repository.ts'
import type { LedgerState } from './ledger-state.ts'

/** One that failed is tried again after this. */
const againMs = 5_000
/** One that takes longer will not end: its client hangs. */
const longestMs = 30_000

/** Closes what crashes have left open: at first contact with the database, then every `silentMs` while it is used. */
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

  /** Whether one more is owed: the ledger was used since the last one. It may be as long as one is under way. */
  get owed(): boolean {
    return this.#used || this.#running
  }

  use(): void {
    this.#used = true
  }

  /**
   * After the database was away: other processes must have had the time to tell that their records live. One that failed
   * meanwhile failed for that, and nothing is wrong until the next one does.
   */
  postpone(): void {
    this.#dueAt = this.#clock.monotonic() + this.#silentMs
    this.#state.works('orphans')
  }

  /** Begins one where it is due. Never two at a time, but for one that was given up. */
  run(): void {
    if (this.#clock.monotonic() < this.#dueAt) return
    this.#dueAt = this.#clock.monotonic() + this.#silentMs
    if (this.#running) {
      this.#state.fails('orphans', new Error('closeOrphans has not come to its end for a long time.'))
      return
    }
    this.#running = true
    // What died just before the first one is found by the next.
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
      const expired = () =>
        reject(new Error(`closeOrphans did not come to its end within ${longestMs} milliseconds.`))
      timer = this.#clock.setTimer(longestMs, expired).unref()
    })
    try {
      await Promise.race([this.#rows.closeOrphans(this.#silentMs), given])
    } finally {
      timer?.cancel()
    }
  }
}

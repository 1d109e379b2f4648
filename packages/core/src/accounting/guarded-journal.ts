import type { Clock } from '../clock/clock.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { Journal } from '../contracts/journal.ts'
import type { LedgerBatch } from '../contracts/ledger-repository.ts'

/** The timeout of the journal, in milliseconds. */
const timeoutMs = 5_000

/** `replay` rejects with it if the journal fails, and not the write of a batch. */
export class JournalError extends Error {
  constructor(cause: unknown) {
    super('The journal of the ledger cannot be read.', { cause })
    this.name = 'JournalError'
  }
}

/** Guards a journal: its operations time out, and errors of `replay` name the journal or the database. */
export class GuardedJournal implements Journal {
  readonly #journal: Journal
  readonly #clock: Clock
  #appending = false

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal
    this.#clock = clock
  }

  /** Where `empty` throws, the journal counts as not empty: `replay` reports why. */
  get empty(): boolean {
    try {
      return this.#journal.empty
    } catch {
      return false
    }
  }

  /** One at a time. Rejects at once while an earlier one hangs. */
  async append(batch: LedgerBatch): Promise<void> {
    if (this.#appending) throw new Error('The journal of the ledger does not answer.')
    this.#appending = true
    const appending = (async () => this.#journal.append(batch))()
    const over = () => {
      this.#appending = false
    }
    appending.then(over, over)
    await withTimeout(this.#clock, timeoutMs, appending, () => {
      throw new Error(`The journal of the ledger timed out after ${timeoutMs} ms.`)
    })
  }

  async replay(write: (batch: LedgerBatch) => Promise<void>): Promise<void> {
    let writing = false
    try {
      await this.#journal.replay(async batch => {
        writing = true
        await write(batch)
        writing = false
      })
    } catch (error) {
      throw writing ? error : new JournalError(error)
    }
  }
}

import type { Charge, LedgerEntry, LedgerRepository } from '@sluice/core/ledger'
import type { History } from './history.ts'
import type { Scheduler } from './scheduler.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Link } from './store-link.ts'

/** A record without a closing. */
interface OpenRecord {
  readonly entry: LedgerEntry
  charge: Charge | undefined
  /** When its process last showed that it is alive. */
  aliveAt: number
}

/**
 * The database of the ledger: the rows of open requests, and the ids of closed ones. It behaves as the real ones do: the first
 * closing of a record counts, but replaces `lost`, and a closing without an entry is a complete record.
 */
export class LedgerDatabase {
  readonly #open = new Map<string, OpenRecord>()
  readonly #closed = new Set<string>()
  /** Ids of records that were closed as `lost`. */
  readonly #lost = new Set<string>()
  readonly #scheduler: Scheduler
  readonly #history: History

  constructor(scheduler: Scheduler, history: History) {
    this.#scheduler = scheduler
    this.#history = history
  }

  /** Number of records that have no closing. */
  get open(): number {
    return this.#open.size
  }

  /** Returns the database as one process reaches it over its link. */
  linked({ gateway }: SimulatedProcess, link: Link): LedgerRepository {
    return {
      write: ({ entries, closings, progress, cancelled = [] }) =>
        link.call(() => {
          const at = this.#scheduler.now
          for (const entry of entries) {
            const { id } = entry
            if (this.#closed.has(id) || this.#lost.has(id) || this.#open.has(id)) continue
            this.#open.set(id, { entry, charge: undefined, aliveAt: at })
          }
          for (const { id, charge } of progress) {
            const record = this.#open.get(id)
            if (record === undefined) continue
            record.aliveAt = at
            record.charge = charge ?? record.charge
          }
          for (const id of cancelled) {
            this.#open.delete(id)
            this.#lost.delete(id)
          }
          for (const closing of closings) {
            const { id } = closing.entry
            const { size } = this.#closed
            const again = this.#closed.add(id).size === size
            this.#open.delete(id)
            this.#lost.delete(id)
            this.#history.record({ type: 'ledger', at, gateway, closing, again })
          }
        }),
      closeOrphans: silentMs => link.call(() => this.#closeOrphans(gateway, silentMs)),
      usage: () => Promise.reject(new Error('The simulated ledger stores no sums.')),
    }
  }

  #closeOrphans(gateway: number, silentMs: number): number {
    const at = this.#scheduler.now
    const orphans = [...this.#open.values()].filter(({ aliveAt }) => at - aliveAt >= silentMs)
    for (const { entry, charge } of orphans) {
      this.#open.delete(entry.id)
      this.#lost.add(entry.id)
      this.#history.record({ type: 'lost', at, gateway, entry, charge: charge ?? entry.estimate })
    }
    return orphans.length
  }
}

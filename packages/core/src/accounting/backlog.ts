import type { LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import type { LedgerBatch } from '../contracts/ledger-repository.ts'

/** Called when a record is stored, or with the error if it is not. */
export type WriteListener = (error?: unknown) => void

/** A record to write: its entry, or its closing, which contains the entry. */
export interface Waiting {
  readonly entry: LedgerEntry
  readonly closing?: LedgerClosing | undefined
  /** Called for its opening. */
  readonly opened?: WriteListener | undefined
  /** Called for its closing. */
  readonly closed?: WriteListener | undefined
}

/** Records that are to be written, oldest first, each once: a closing replaces its entry. */
export class Backlog {
  readonly #records = new Map<string, Waiting>()
  /** Records with an entry alone. */
  readonly #entries = new Set<string>()

  get size(): number {
    return this.#records.size
  }

  has(id: string): boolean {
    return this.#records.has(id)
  }

  put(waiting: Waiting): void {
    const { id } = waiting.entry
    const merged = mergedWith(this.#records.get(id), waiting)
    this.#records.set(id, merged)
    if (merged.closing === undefined) this.#entries.add(id)
    else this.#entries.delete(id)
  }

  /** Returns the oldest records, and keeps them. */
  first(most: number): Waiting[] {
    const found: Waiting[] = []
    for (const waiting of this.#records.values()) {
      if (found.length === most) break
      found.push(waiting)
    }
    return found
  }

  /** Removes and returns the oldest records. */
  take(most: number): Waiting[] {
    const taken = this.first(most)
    this.drop(taken)
    return taken
  }

  /** Removes records that `first` returned, except those that changed since. */
  drop(given: readonly Waiting[]): void {
    for (const waiting of given) {
      const { id } = waiting.entry
      if (this.#records.get(id) === waiting) this.#forget(id)
    }
  }

  /** Removes a record with an entry alone. Returns whether it was there. */
  cancel(id: string): boolean {
    if (!this.#entries.has(id)) return false
    this.#forget(id)
    return true
  }

  /** Removes the oldest record with an entry alone: its closing will contain the entry. */
  takeEntry(): Waiting | undefined {
    for (const id of this.#entries) {
      const waiting = this.#records.get(id)
      this.#forget(id)
      return waiting
    }
    return undefined
  }

  #forget(id: string): void {
    this.#records.delete(id)
    this.#entries.delete(id)
  }
}

/** Returns the batch of these records. */
export function batchOf(records: readonly Waiting[], progress: LedgerBatch['progress']): LedgerBatch {
  const entries: LedgerEntry[] = []
  const closings: LedgerClosing[] = []
  for (const { entry, closing } of records) {
    if (closing === undefined) entries.push(entry)
    else closings.push(closing)
  }
  return { entries, closings, progress }
}

function mergedWith(before: Waiting | undefined, after: Waiting): Waiting {
  if (before === undefined) return after
  return {
    entry: before.entry,
    closing: before.closing ?? after.closing,
    opened: both(before.opened, after.opened),
    closed: both(before.closed, after.closed),
  }
}

function both(one: WriteListener | undefined, other: WriteListener | undefined): WriteListener | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return error => {
    one(error)
    other(error)
  }
}

import type { LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import type { LedgerBatch } from '../contracts/ledger-repository.ts'

/** Told that something is kept, or with an error that it is not. */
export type Told = (error?: unknown) => void

/** One record that waits to be written: its entry, or its closing, which holds the entry. */
export interface Waiting {
  readonly entry: LedgerEntry
  readonly closing?: LedgerClosing | undefined
  /** Whoever waits for its opening. */
  readonly opened?: Told | undefined
  /** Whoever waits for its closing. */
  readonly closed?: Told | undefined
}

/** Records that wait to be written, oldest first, each once: a closing stands in the place of its entry. */
export class Backlog {
  readonly #records = new Map<string, Waiting>()
  /** Those of which only the entry waits. */
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

  /** The oldest ones, which stay. */
  first(most: number): Waiting[] {
    const found: Waiting[] = []
    for (const waiting of this.#records.values()) {
      if (found.length === most) break
      found.push(waiting)
    }
    return found
  }

  /** The oldest ones, which go. */
  take(most: number): Waiting[] {
    const taken = this.first(most)
    this.drop(taken)
    return taken
  }

  /** Forgets records that `first` gave, but for those to which something came since. */
  drop(given: readonly Waiting[]): void {
    for (const waiting of given) {
      const { id } = waiting.entry
      if (this.#records.get(id) === waiting) this.#forget(id)
    }
  }

  /** Takes out a record that is an entry alone. Returns whether it was there. */
  cancel(id: string): boolean {
    if (!this.#entries.has(id)) return false
    this.#forget(id)
    return true
  }

  /** Takes out the oldest record that is an entry alone: its closing will bring all of it again. */
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

/** What a write brings of these records. */
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

function both(one: Told | undefined, other: Told | undefined): Told | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return error => {
    one(error)
    other(error)
  }
}

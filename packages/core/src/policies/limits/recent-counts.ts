import type { Count } from './count.ts'
import type { Counter } from './limit-store.ts'

/**
 * Counts by kind and key, of which so many are remembered: the one longest unused is forgotten first. One of which
 * something is held is not, and leaves the row until nothing is: a new count in its place would let it twice.
 */
export class RecentCounts {
  readonly #max: number
  readonly #rates = new Map<string, Count>()
  readonly #sums = new Map<string, Count>()
  readonly #leases = new Map<string, Count>()
  #inRow = 0
  /** The ends of the row, of which each knows its neighbours: to be found is to move, for every request. */
  #newest: Count | undefined
  #oldest: Count | undefined

  constructor(max: number) {
    this.#max = max
  }

  find({ kind, key }: Counter): Count | undefined {
    const count = this.#of(kind).get(key)
    if (count === undefined || !count.inRow || count === this.#newest) return count
    this.#leave(count)
    this.#join(count)
    return count
  }

  /** Remembers a count of which something was taken. */
  keep(count: Count): void {
    if (count.kept) return
    count.kept = true
    this.#of(count.kind).set(count.key, count)
    this.#add(count)
  }

  /** One that held something of it does no more. */
  release(count: Count): void {
    count.holders--
    if (count.holders === 0 && count.kept && !count.inRow) this.#add(count)
  }

  #of(kind: Counter['kind']): Map<string, Count> {
    if (kind === 'rate') return this.#rates
    return kind === 'sum' ? this.#sums : this.#leases
  }

  #add(count: Count): void {
    this.#join(count)
    const oldest = this.#oldest
    if (this.#inRow <= this.#max || oldest === undefined) return
    this.#leave(oldest)
    if (oldest.holders > 0) return
    oldest.kept = false
    this.#of(oldest.kind).delete(oldest.key)
  }

  #join(count: Count): void {
    count.inRow = true
    count.older = this.#newest
    if (this.#newest === undefined) this.#oldest = count
    else this.#newest.newer = count
    this.#newest = count
    this.#inRow++
  }

  #leave(count: Count): void {
    const { newer, older } = count
    if (newer === undefined) this.#newest = older
    else newer.older = older
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    count.newer = undefined
    count.older = undefined
    count.inRow = false
    this.#inRow--
  }
}

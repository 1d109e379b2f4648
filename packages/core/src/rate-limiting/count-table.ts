import type { Counter } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'
import type { Count } from './count.ts'

/** How many counts one search for idle ones looks at, which takes some 50 microseconds. The next search goes on behind them. */
const maxLookedAt = 1_000

/**
 * Counts by kind and key, of which so many are kept. Only an idle one is ever forgotten: a new count in its place does not
 * differ from it. So nobody gets back what was used by pushing a count out.
 */
export class CountTable {
  readonly #max: number
  readonly #rates = new Map<string, Count>()
  readonly #sums = new Map<string, Count>()
  readonly #leases = new Map<string, Count>()
  /** Goes over all counts, again and again. */
  readonly #round = this.#goRound()
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  /** How many more can be kept without forgetting any. */
  get free(): number {
    return this.#max - this.#size
  }

  find({ kind, key }: Counter): Count | undefined {
    return this.#of(kind).get(key)
  }

  /** Keeps a count of which something was taken. There has to be room for it. */
  keep(count: Count): void {
    if (count.kept) return
    count.kept = true
    this.#of(count.kind).set(count.key, count)
    this.#size++
  }

  /** Forgets idle counts until so many more can be kept, but none that is `asked`. */
  makeRoom(needed: number, asked: readonly Count[], moment: Moment): void {
    for (let looked = 0; this.free < needed && this.#size > 0 && looked < maxLookedAt; looked++) {
      const count = this.#round.next().value
      if (count.holders > 0 || !count.isIdle(moment) || asked.includes(count)) continue
      count.kept = false
      this.#of(count.kind).delete(count.key)
      this.#size--
    }
  }

  #of(kind: Counter['kind']): Map<string, Count> {
    if (kind === 'rate') return this.#rates
    return kind === 'sum' ? this.#sums : this.#leases
  }

  /** Is asked only where there are counts: it looks for the next one until it finds it. */
  *#goRound(): Generator<Count, never> {
    for (;;) {
      yield* this.#rates.values()
      yield* this.#sums.values()
      yield* this.#leases.values()
    }
  }
}

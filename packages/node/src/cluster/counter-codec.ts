import type { Counter } from '@sluice/core/store'

// Counters as a worker sends them to its primary. Their JSON was a third of what an admission costs: each is sent once, and is a
// number in later messages.

/** Three values for each counter: its number, or both where it has a new one; its amount; its floor, -1 for none. */
export type EncodedCounters = readonly (number | readonly [number, Counter])[]

/** How many counters are numbered: then the numbers begin again. Callers may have any number of counters. */
const maxNumbered = 10_000

interface Numbered {
  readonly counter: Counter
  readonly number: number
}

export class CounterEncoder {
  readonly #numbers = new Map<string, Numbered>()
  #next = 0

  encode(counters: readonly Counter[]): EncodedCounters {
    // Not within a message, in which each number has one meaning.
    if (this.#next + counters.length > maxNumbered) this.reset()
    const encoded: (number | readonly [number, Counter])[] = []
    for (const counter of counters) {
      const known = this.#numbers.get(counter.key)
      if (known !== undefined && isSame(known.counter, counter)) encoded.push(known.number)
      else {
        const number = this.#next++
        this.#numbers.set(counter.key, { counter, number })
        encoded.push([number, counter])
      }
      if (counter.kind === 'lease') encoded.push(0, -1)
      else encoded.push(counter.amount, counter.floor ?? -1)
    }
    return encoded
  }

  /** Sends each counter again: what was encoded may not have arrived. */
  reset(): void {
    this.#numbers.clear()
    this.#next = 0
  }
}

export class CounterDecoder {
  readonly #counters: Counter[] = []

  decode(encoded: EncodedCounters): Counter[] {
    const counters: Counter[] = []
    for (let at = 0; at < encoded.length; at += 3) {
      const first = encoded[at]!
      if (typeof first !== 'number') this.#counters[first[0]] = first[1]
      const known = this.#counters[typeof first === 'number' ? first : first[0]]
      if (known === undefined) throw new TypeError('A worker sent the number of a counter that is unknown.')
      counters.push(counterOf(known, encoded[at + 1] as number, encoded[at + 2] as number))
    }
    return counters
  }
}

function counterOf(known: Counter, amount: number, floor: number): Counter {
  if (known.kind === 'lease') return known
  const { kind, key, limit, dryRun } = known
  if (kind === 'sum') return { kind, key, limit, dryRun, window: known.window, amount, floor }
  const { windowMs } = known
  return floor === -1
    ? { kind, key, limit, dryRun, windowMs, amount }
    : { kind, key, limit, dryRun, windowMs, amount, floor }
}

/** Whether two counters with the same key differ in their amounts at most. */
function isSame(one: Counter, other: Counter): boolean {
  if (one.kind !== other.kind || one.limit !== other.limit || one.dryRun !== other.dryRun) return false
  if (one.kind === 'rate') return one.windowMs === (other as typeof one).windowMs
  return one.kind === 'lease' || one.window === (other as typeof one).window
}

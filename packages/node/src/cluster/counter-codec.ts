import type { Counter } from '@sluice/core/store'

// Counters as a worker sends them to its primary. Their JSON was a third of what an admission costs: each is sent once, and is a
// number in later messages.

/** How many values a counter has: its number, or its number and what it is where that is new; its amount; its floor, -1 for none. */
export const valuesPerCounter = 3

/** How many counters are numbered: then the numbers begin again. Callers may have any number of counters. */
const maxNumbered = 10_000

interface Numbered {
  readonly counter: Counter
  readonly number: number
}

export class CounterEncoder {
  readonly #numbers = new Map<string, Numbered>()
  #next = 0

  /** Adds three values for each counter. */
  encode(counters: readonly Counter[], into: unknown[]): void {
    // Not within a claim, in which each number has one meaning.
    if (this.#next + counters.length > maxNumbered) this.reset()
    for (const counter of counters) {
      const known = this.#numbers.get(counter.key)
      if (known !== undefined && isSame(known.counter, counter)) into.push(known.number)
      else {
        const number = this.#next++
        this.#numbers.set(counter.key, { counter, number })
        into.push([number, counter])
      }
      if (counter.kind === 'lease') into.push(0, -1)
      else into.push(counter.amount, counter.floor ?? -1)
    }
  }

  /** Sends each counter again: what was encoded may not have arrived. */
  reset(): void {
    this.#numbers.clear()
    this.#next = 0
  }
}

export class CounterDecoder {
  /** The last counter of each number: most requests take the same amount. */
  readonly #counters: Counter[] = []

  /** Returns the counters whose values start at an index. Throws `TypeError` for the number of an unknown one. */
  decode(values: readonly unknown[], from: number, count: number): Counter[] {
    const counters: Counter[] = []
    for (let at = from; at < from + count * valuesPerCounter; at += valuesPerCounter) {
      const first = values[at]
      const number: unknown = Array.isArray(first) ? first[0] : first
      if (!isNumber(number)) throw new TypeError('A worker sent what is no counter.')
      const known: Counter | undefined = Array.isArray(first) ? first[1] : this.#counters[number]
      if (known === undefined) throw new TypeError('A worker sent the number of a counter that is unknown.')
      const counter = withAmount(known, values[at + 1] as number, values[at + 2] as number)
      this.#counters[number] = counter
      counters.push(counter)
    }
    return counters
  }
}

function isNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < maxNumbered
}

function withAmount(known: Counter, amount: number, floor: number): Counter {
  if (known.kind === 'lease' || (known.amount === amount && (known.floor ?? -1) === floor)) return known
  const { kind, key, limit, dryRun } = known
  if (kind === 'sum') return { kind, key, limit, dryRun, window: known.window, amount, floor }
  const { windowMs } = known
  return floor === -1
    ? { kind, key, limit, dryRun, windowMs, amount }
    : { kind, key, limit, dryRun, windowMs, amount, floor }
}

/** Whether two counters with the same key differ in their amounts at most. */
function isSame(one: Counter, other: Counter): boolean {
  if (one === other) return true
  if (one.kind !== other.kind || one.limit !== other.limit || one.dryRun !== other.dryRun) return false
  if (one.kind === 'rate') return one.windowMs === (other as typeof one).windowMs
  return one.kind === 'lease' || one.window === (other as typeof one).window
}

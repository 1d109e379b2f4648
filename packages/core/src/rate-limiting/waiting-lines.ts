/** A request that waits for capacity. */
export interface Waiter<Result> {
  /** Its number in the order of arrival. */
  readonly arrival: number
  /** When its wait is over, in ms of the monotonic clock. */
  readonly deadline: number
  readonly attempt: () => Result | Promise<Result>
  /** When it tries again, if it is first in its line. */
  dueAt: number
  /** The keys of the counts it waits for. */
  keys: readonly string[]
  /** The released count for which it tries early, and its original `dueAt`. */
  woken: { readonly key: string; readonly dueAt: number } | undefined
  /** Its own last refusal. */
  refusal: Result | undefined
  /** Whether it has a result, or its client has disconnected. */
  ended: boolean
  /** Stops listening for the disconnect of its client. */
  removeListener(): void
  resolve(result: Result): void
  reject(error: unknown): void
}

/** A `dueAt` of now. */
export const atOnce = Number.NEGATIVE_INFINITY

/** The requests of one principal, in the order of their arrival. Only the first may try. */
export class WaitingLine<Result> {
  readonly principal: string
  /** The last refusal of the line, which is the result of a request that never had its turn. */
  refusal: Result
  /** The request that is trying. */
  trying: Waiter<Result> | undefined
  /** The number of the last try of any of its requests. */
  lastTry: number
  readonly #waiters: Waiter<Result>[] = []

  constructor(principal: string, refusal: Result, lastTry: number) {
    this.principal = principal
    this.refusal = refusal
    this.lastTry = lastTry
  }

  get length(): number {
    return this.#waiters.length
  }

  get first(): Waiter<Result> | undefined {
    return this.#waiters[0]
  }

  /** Inserts it in the order of arrival: a store may answer in another order. */
  add(waiter: Waiter<Result>): void {
    const before = this.#waiters.findLastIndex(({ arrival }) => arrival < waiter.arrival)
    this.#waiters.splice(before + 1, 0, waiter)
  }

  /** Removes it. The next first request tries at once. */
  remove(waiter: Waiter<Result>): void {
    if (this.trying === waiter) this.trying = undefined
    const index = this.#waiters.indexOf(waiter)
    if (index === -1) return
    this.#waiters.splice(index, 1)
    const { first } = this
    if (index > 0 || first === undefined) return
    first.dueAt = atOnce
    first.woken = undefined
  }

  /** Returns the requests whose wait is over, except the one that is trying, which gets its result first. */
  expired(now: number): readonly Waiter<Result>[] {
    const end = this.#waiters.findIndex(({ deadline }) => deadline > now)
    return this.#waiters
      .slice(0, end === -1 ? this.#waiters.length : end)
      .filter(waiter => waiter !== this.trying)
  }

  /** Returns when the next try or deadline of this line is due. */
  nextAt(mayTry: boolean): number {
    const { first, trying } = this
    if (first !== undefined && trying === undefined && mayTry) return Math.min(first.dueAt, first.deadline)
    return (trying === first ? this.#waiters[1] : first)?.deadline ?? Number.POSITIVE_INFINITY
  }
}

/** The lines of all principals, in the order of their turns. Contains no empty ones. */
export class WaitingLines<Result> implements Iterable<WaitingLine<Result>> {
  readonly #lines = new Map<string, WaitingLine<Result>>()

  get(principal: string): WaitingLine<Result> | undefined {
    return this.#lines.get(principal)
  }

  [Symbol.iterator](): Iterator<WaitingLine<Result>> {
    return this.#lines.values()
  }

  /** Returns the lines, least recently tried first. */
  byLastTry(): readonly WaitingLine<Result>[] {
    return [...this].sort((one, other) => one.lastTry - other.lastTry)
  }

  open(principal: string, refusal: Result, lastTry: number): WaitingLine<Result> {
    const line = new WaitingLine(principal, refusal, lastTry)
    this.#lines.set(principal, line)
    return line
  }

  close(line: WaitingLine<Result>): void {
    this.#lines.delete(line.principal)
  }

  /** Moves a line to the end after its turn. A running iteration reaches it again. */
  moveToEnd(line: WaitingLine<Result>): void {
    this.#lines.delete(line.principal)
    this.#lines.set(line.principal, line)
  }

  /** Makes first requests that wait for one of the counts try now. Returns whether there are any. */
  wake(keys: readonly string[]): boolean {
    let any = false
    for (const { first, trying } of this) {
      if (first === undefined || trying !== undefined || first.woken !== undefined) continue
      const key = first.keys.find(waited => keys.includes(waited))
      if (key === undefined) continue
      first.woken = { key, dueAt: first.dueAt }
      first.dueAt = atOnce
      any = true
    }
    return any
  }

  /** Restores the original `dueAt` of requests that were woken for this count. */
  unwake(key: string): void {
    for (const { first } of this) {
      if (first?.woken?.key !== key) continue
      first.dueAt = first.woken.dueAt
      first.woken = undefined
    }
  }

  /** Returns when the next try or deadline of any line is due. */
  nextAt(mayTry: boolean): number {
    let next = Number.POSITIVE_INFINITY
    for (const line of this) next = Math.min(next, line.nextAt(mayTry))
    return next
  }
}

const maxKeys = 1_000

/**
 * Records the counts that are released during a store call, whose result may be older. Records nothing while no call runs,
 * and is cleared beyond 1,000 counts.
 */
export class ReleaseLog {
  readonly #lastOf = new Map<string, number>()
  #time = 0
  #running = 0

  /** Marks the start of a store call. Returns the time to pass to `missed`. */
  begin(): number {
    this.#running++
    return this.#time
  }

  end(): void {
    this.#running--
  }

  add(keys: readonly string[]): void {
    this.#time++
    if (this.#running === 0 || this.#lastOf.size > maxKeys) this.#lastOf.clear()
    if (this.#running === 0) return
    for (const key of keys) this.#lastOf.set(key, this.#time)
  }

  /** Whether one of the counts was released since then. */
  missed(keys: readonly string[], since: number): boolean {
    return keys.some(key => (this.#lastOf.get(key) ?? 0) > since)
  }
}

/** A request that waits for room. */
export interface Waiter<Result> {
  /** Its place among all that ever came. */
  readonly arrival: number
  /** When its wait is over, in milliseconds of the queue's clock. */
  readonly deadline: number
  readonly attempt: () => Result | Promise<Result>
  /** When it tries again, once it is the first of its line. */
  dueAt: number
  /** The counts that it waits for. */
  keys: readonly string[]
  /** It tries before its time because this count was released; and what its time was. */
  woken: { readonly key: string; readonly dueAt: number } | undefined
  /** Its own last refusal. */
  refusal: Result | undefined
  /** Whether it has its answer, or has left. */
  ended: boolean
  /** Hears no more of its client. */
  deafen(): void
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Of what is due at once. */
export const atOnce = Number.NEGATIVE_INFINITY

/** The requests of one principal, in the order of their arrival. Only the first may try. */
export class WaitingLine<Result> {
  readonly principal: string
  /** The last refusal of any of them: what is told to one that never had its turn. */
  refusal: Result
  /** Who tries at the moment. */
  trying: Waiter<Result> | undefined
  /** When any of them tried last: the number of that try. */
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

  /** Puts it behind all that came before it: a store may have answered in another order. */
  add(waiter: Waiter<Result>): void {
    const before = this.#waiters.findLastIndex(({ arrival }) => arrival < waiter.arrival)
    this.#waiters.splice(before + 1, 0, waiter)
  }

  /** Who is the first then tries at once. */
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

  /** Those whose wait is over, but for who tries: that one hears its answer first. */
  expired(now: number): readonly Waiter<Result>[] {
    const end = this.#waiters.findIndex(({ deadline }) => deadline > now)
    return this.#waiters
      .slice(0, end === -1 ? this.#waiters.length : end)
      .filter(waiter => waiter !== this.trying)
  }

  /** When time alone gives the queue something to do here. */
  nextAt(mayTry: boolean): number {
    const { first, trying } = this
    if (first !== undefined && trying === undefined && mayTry) return Math.min(first.dueAt, first.deadline)
    return (trying === first ? this.#waiters[1] : first)?.deadline ?? Number.POSITIVE_INFINITY
  }
}

/** The lines of all principals, in the order of their turns. One that is empty is none. */
export class WaitingLines<Result> implements Iterable<WaitingLine<Result>> {
  readonly #lines = new Map<string, WaitingLine<Result>>()

  get(principal: string): WaitingLine<Result> | undefined {
    return this.#lines.get(principal)
  }

  [Symbol.iterator](): Iterator<WaitingLine<Result>> {
    return this.#lines.values()
  }

  /** Whoever has not tried for longest comes first. */
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

  /** It has had its turn. Who goes through the lines meanwhile comes to it again. */
  moveToEnd(line: WaitingLine<Result>): void {
    this.#lines.delete(line.principal)
    this.#lines.set(line.principal, line)
  }

  /** Those who wait for one of the counts try before their time. Says whether there are any. */
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

  /** Nothing is left of the count: who was woken for it tries when its time comes. */
  calm(key: string): void {
    for (const { first } of this) {
      if (first?.woken?.key !== key) continue
      first.dueAt = first.woken.dueAt
      first.woken = undefined
    }
  }

  /** When time alone gives the queue something to do. */
  nextAt(mayTry: boolean): number {
    let next = Number.POSITIVE_INFINITY
    for (const line of this) next = Math.min(next, line.nextAt(mayTry))
    return next
  }
}

const maxKeys = 1_000

/**
 * Which counts were released while somebody was being answered: the answer may be from before. Where nobody is,
 * nothing is kept; of more than 1,000 counts all are forgotten.
 */
export class ReleaseLog {
  readonly #lastOf = new Map<string, number>()
  #time = 0
  #asking = 0

  /** Somebody asks. The time returned is for `missed`. */
  begin(): number {
    this.#asking++
    return this.#time
  }

  end(): void {
    this.#asking--
  }

  add(keys: readonly string[]): void {
    this.#time++
    if (this.#asking === 0 || this.#lastOf.size > maxKeys) this.#lastOf.clear()
    if (this.#asking === 0) return
    for (const key of keys) this.#lastOf.set(key, this.#time)
  }

  /** Whether one of the counts was released since then. */
  missed(keys: readonly string[], since: number): boolean {
    return keys.some(key => (this.#lastOf.get(key) ?? 0) > since)
  }
}

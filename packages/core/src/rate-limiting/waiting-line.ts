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

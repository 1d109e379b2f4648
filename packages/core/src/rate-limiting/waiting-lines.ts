import { atOnce, WaitingLine } from './waiting-line.ts'

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

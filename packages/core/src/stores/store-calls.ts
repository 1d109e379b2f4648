import { OperationDeadlines } from '../clock/operation-deadlines.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { StoreBreaker, type StoreBreakerOptions, type Turn } from './store-breaker.ts'

/** What became of an operation. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** Hears of an operation that failed here and may still have been done there, when that is known. */
export type Afterwards<T> = (outcome: Outcome<T>) => void

/**
 * Operations of a store, each of which comes to an outcome in time. One that is answered at once costs no promise and
 * no timer. While the breaker is open nothing is asked, and the outcome is there at once.
 *
 * `TypeError` and `RangeError` that the store throws at once are faults of what it was given: they are thrown.
 */
export class StoreCalls {
  readonly #timeoutMs: number
  readonly #name: string
  readonly #deadlines: OperationDeadlines
  readonly #breaker: StoreBreaker

  /** `name` is what the store is called in what it fails with. */
  constructor(timeoutMs: number, options: StoreBreakerOptions, name = 'limit store') {
    this.#timeoutMs = timeoutMs
    this.#name = name
    this.#deadlines = new OperationDeadlines(timeoutMs, options.clock)
    this.#breaker = new StoreBreaker(options)
  }

  /** Whether the store is asked at all. */
  get usable(): boolean {
    return this.#breaker.closed
  }

  /** When the store may be probed; `undefined` while it need not be. */
  get probeAt(): number | undefined {
    return this.#breaker.probeAt
  }

  ask<T>(operation: () => T | PromiseLike<T>, afterwards?: Afterwards<T>): Outcome<T> | Promise<Outcome<T>> {
    const turn = this.#breaker.begin()
    if (turn === undefined) return { ok: false, error: this.#breaker.error }
    return this.#run(turn, operation, afterwards)
  }

  /** Asks although the store fails, if it is time for that. Never throws. */
  async probe(operation: () => unknown): Promise<void> {
    const turn = this.#breaker.beginProbe()
    if (turn === undefined) return
    try {
      await this.#run(turn, operation, undefined)
    } catch (error) {
      this.#failed(turn, error)
    }
  }

  #run<T>(
    turn: Turn,
    operation: () => T | PromiseLike<T>,
    afterwards: Afterwards<T> | undefined,
  ): Outcome<T> | Promise<Outcome<T>> {
    let result: T | PromiseLike<T>
    try {
      result = operation()
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw error
      this.#failed(turn, error)
      return { ok: false, error }
    }
    if (isPromise(result)) return this.#wait(turn, result, afterwards)
    this.#breaker.succeeded(turn)
    return { ok: true, value: result }
  }

  #wait<T>(turn: Turn, result: PromiseLike<T>, afterwards: Afterwards<T> | undefined): Promise<Outcome<T>> {
    return new Promise(resolve => {
      let expired = false
      const operation = this.#deadlines.add(() => {
        expired = true
        const error = new Error(`The ${this.#name} did not answer within ${this.#timeoutMs} milliseconds.`)
        this.#failed(turn, error)
        resolve({ ok: false, error })
      })
      result.then(
        value => {
          const outcome = { ok: true, value } as const
          if (expired) {
            afterwards?.(outcome)
            return
          }
          this.#deadlines.takeBack(operation)
          this.#breaker.succeeded(turn)
          resolve(outcome)
        },
        error => {
          const outcome = { ok: false, error } as const
          if (!expired) {
            this.#deadlines.takeBack(operation)
            this.#failed(turn, error)
            resolve(outcome)
          }
          afterwards?.(outcome)
        },
      )
    })
  }

  #failed(turn: Turn, error: unknown): void {
    const { closed } = this.#breaker
    this.#breaker.failed(turn, error)
    if (closed && !this.#breaker.closed) this.#deadlines.expireAll()
  }
}

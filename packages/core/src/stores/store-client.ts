import type { Clock } from '../clock/clock.ts'
import { OperationDeadlines, type TimedOperation } from '../clock/operation-deadlines.ts'
import { isPromise } from '../primitives/is-promise.ts'
import {
  StoreBreaker,
  type StoreBreakerOptions,
  type StoreBreakerPolicy,
  type Turn,
} from './store-breaker.ts'

/** The outcome of a call. */
export type StoreCallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** Called with what came of a call that failed here and may still have been done there, once that is known. */
export type Afterwards<T> = (outcome: StoreCallResult<T>) => void

export interface StoreClientOptions {
  /** What the store is called in errors, such as `limit store`. */
  readonly name: string
  /** Longest wait for a call, in milliseconds. */
  readonly timeoutMs: number
  /** The option that sets it, named in errors. */
  readonly timeoutOption?: string
  /** Longest wait for a probe. One that takes longer than `timeoutMs` does not close the breaker. Default `timeoutMs`. */
  readonly probeTimeoutMs?: number
  readonly clock: Clock
  /** Called once for each change, and must not throw. */
  readonly changed: StoreBreakerOptions['changed']
  readonly breaker?: StoreBreakerPolicy & { readonly clock?: Clock }
  /** Whether the calls in flight fail when the breaker opens. */
  readonly failsFast?: boolean
  /** How many calls may be unanswered at once: a client buffers what it cannot send. */
  readonly maxUnanswered?: number
}

/** How long a call that is not answered counts after its timeout, in milliseconds. */
const unansweredMs = 60_000

/**
 * The calls to a store: each has an outcome in time, and while the circuit breaker is open none is made. A store that
 * answers synchronously costs no promise and no timer.
 *
 * `TypeError` and `RangeError` that the store throws synchronously are errors of the caller: they are thrown.
 */
export class StoreClient {
  readonly #options: Required<Omit<StoreClientOptions, 'changed' | 'breaker'>>
  readonly #deadlines: OperationDeadlines
  readonly #probeDeadlines: OperationDeadlines
  readonly #breaker: StoreBreaker
  readonly #unanswered = new Set<TimedOperation>()

  constructor(options: StoreClientOptions) {
    const { timeoutMs, clock } = options
    const { changed, breaker, ...rest } = {
      breaker: {},
      timeoutOption: '',
      probeTimeoutMs: timeoutMs,
      failsFast: false,
      maxUnanswered: Number.POSITIVE_INFINITY,
      ...options,
    }
    const { probeTimeoutMs } = rest
    this.#options = rest
    this.#deadlines = new OperationDeadlines(timeoutMs, clock)
    this.#probeDeadlines =
      probeTimeoutMs === timeoutMs ? this.#deadlines : new OperationDeadlines(probeTimeoutMs, clock)
    this.#breaker = new StoreBreaker({ clock, changed, ...breaker })
  }

  /** Whether the breaker is closed. */
  get usable(): boolean {
    return this.#breaker.closed
  }

  /** When the store may be probed; `undefined` while it need not be. */
  get probeAt(): number | undefined {
    return this.#breaker.probeAt
  }

  get #countsUnanswered(): boolean {
    return this.#options.maxUnanswered !== Number.POSITIVE_INFINITY
  }

  ask<T>(
    operation: () => T | PromiseLike<T>,
    afterwards?: Afterwards<T>,
  ): StoreCallResult<T> | Promise<StoreCallResult<T>> {
    return this.#run(this.#breaker.begin(), this.#deadlines, operation, afterwards)
  }

  /** Asks, also while the store fails, if it is time for a probe and no other one is running. */
  askOrProbe<T>(operation: () => PromiseLike<T>): StoreCallResult<T> | Promise<StoreCallResult<T>> {
    const turn = this.#breaker.begin() ?? this.#breaker.beginProbe()
    return this.#run(turn, this.#probeDeadlines, async () => operation(), undefined)
  }

  #run<T>(
    turn: Turn | undefined,
    deadlines: OperationDeadlines,
    operation: () => T | PromiseLike<T>,
    afterwards: Afterwards<T> | undefined,
  ): StoreCallResult<T> | Promise<StoreCallResult<T>> {
    if (turn === undefined) return { ok: false, error: this.#breaker.error }
    let result: T | PromiseLike<T>
    try {
      if (this.#countsUnanswered) this.#checkUnanswered()
      result = operation()
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw error
      return this.#failed(turn, error)
    }
    if (isPromise(result)) return this.#wait(turn, deadlines, result, afterwards)
    this.#breaker.succeeded(turn)
    return { ok: true, value: result }
  }

  #wait<T>(
    turn: Turn,
    deadlines: OperationDeadlines,
    result: PromiseLike<T>,
    afterwards: Afterwards<T> | undefined,
  ): Promise<StoreCallResult<T>> {
    const { timeoutMs, probeTimeoutMs, clock } = this.#options
    return new Promise(resolve => {
      let expired = false
      const operation = deadlines.add(() => {
        expired = true
        const ms = deadlines === this.#deadlines ? timeoutMs : probeTimeoutMs
        resolve(this.#failed(turn, this.#timedOut(ms)))
      })
      if (this.#countsUnanswered) this.#unanswered.add(operation)
      result.then(
        value => {
          const outcome = { ok: true, value } as const
          if (this.#countsUnanswered) this.#unanswered.delete(operation)
          if (expired) {
            afterwards?.(outcome)
            return
          }
          deadlines.takeBack(operation)
          const slow =
            deadlines !== this.#deadlines && clock.monotonic() > operation.dueAt - probeTimeoutMs + timeoutMs
          if (!slow) this.#breaker.succeeded(turn)
          else if (!this.usable) this.#breaker.failed(turn, this.#breaker.error)
          resolve(outcome)
        },
        error => {
          if (this.#countsUnanswered) this.#unanswered.delete(operation)
          if (!expired) {
            deadlines.takeBack(operation)
            resolve(this.#failed(turn, error))
          }
          afterwards?.({ ok: false, error })
        },
      )
    })
  }

  #timedOut(ms: number): Error {
    const { name, timeoutOption } = this.#options
    const option = timeoutOption === '' ? '' : ` (${timeoutOption})`
    return new Error(`The ${name} did not answer within ${ms} milliseconds${option}.`)
  }

  #checkUnanswered(): void {
    const { name, clock, maxUnanswered } = this.#options
    const from = clock.monotonic() - unansweredMs
    for (const call of this.#unanswered) if (call.dueAt <= from) this.#unanswered.delete(call)
    if (this.#unanswered.size >= maxUnanswered)
      throw new Error(`The ${name} did not answer ${maxUnanswered} operations.`)
  }

  #failed(turn: Turn, error: unknown): { readonly ok: false; readonly error: unknown } {
    const { usable } = this
    this.#breaker.failed(turn, error)
    if (this.#options.failsFast && usable && !this.usable) this.#deadlines.expireAll()
    return { ok: false, error }
  }
}

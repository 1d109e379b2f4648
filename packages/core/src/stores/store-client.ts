import type { Clock } from '../clock/clock.ts'
import { OperationDeadlines, type PendingOperation } from '../clock/operation-deadlines.ts'
import { isPromise } from '../primitives/is-promise.ts'
import type { StoreBreaker, Turn } from './store-breaker.ts'

/** The result of a call. */
export type StoreCallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** Called with the late result of a call that had timed out, and may have taken effect in the store. */
export type Afterwards<T> = (outcome: StoreCallResult<T>) => void

export interface StoreClientOptions {
  /** Name of the store in errors, such as `limit store`. */
  readonly name: string
  /** Timeout of a call, in milliseconds. */
  readonly timeoutMs: number
  /** The option that sets it, named in errors. */
  readonly timeoutOption?: string
  /** Timeout of a probe, in milliseconds. One above `timeoutMs` does not close the breaker. Default `timeoutMs`. */
  readonly probeTimeoutMs?: number
  readonly clock: Clock
  readonly breaker: StoreBreaker
  /** Whether the calls in flight fail when the breaker opens. */
  readonly failsFast?: boolean
  /** Maximum number of pending calls, because a client buffers what it cannot send. Default: unlimited. */
  readonly maxUnanswered?: number
  /**
   * Whether a `TypeError` or `RangeError` that the store throws synchronously is an error of the caller, and is rethrown. Default:
   * it is a failure of the store, as any other.
   */
  readonly rethrowsInvalid?: boolean
}

/** How long a call counts as pending after its timeout, in milliseconds. */
const unansweredMs = 60_000

/** Calls a store with a timeout and a circuit breaker. A store that returns synchronously costs no promise and no timer. */
export class StoreClient {
  #options: Required<Omit<StoreClientOptions, 'breaker'>>
  #deadlines: OperationDeadlines
  #probeDeadlines: OperationDeadlines
  readonly #breaker: StoreBreaker
  readonly #unanswered = new Set<PendingOperation>()

  constructor(options: StoreClientOptions) {
    const { timeoutMs, clock } = options
    const { breaker, ...rest } = {
      timeoutOption: '',
      probeTimeoutMs: timeoutMs,
      failsFast: false,
      maxUnanswered: Number.POSITIVE_INFINITY,
      rethrowsInvalid: false,
      ...options,
    }
    const { probeTimeoutMs } = rest
    this.#options = rest
    this.#deadlines = new OperationDeadlines(timeoutMs, clock)
    this.#probeDeadlines =
      probeTimeoutMs === timeoutMs ? this.#deadlines : new OperationDeadlines(probeTimeoutMs, clock)
    this.#breaker = breaker
  }

  /** Sets the timeout of further calls and probes, in milliseconds. */
  set timeoutMs(ms: number) {
    if (ms === this.#options.timeoutMs) return
    this.#options = { ...this.#options, timeoutMs: ms, probeTimeoutMs: ms }
    this.#deadlines = new OperationDeadlines(ms, this.#options.clock)
    this.#probeDeadlines = this.#deadlines
  }

  /** Whether the breaker is closed. */
  get usable(): boolean {
    return this.#breaker.closed
  }

  /** When the next probe is allowed; `undefined` while none is needed. */
  get probeAt(): number | undefined {
    return this.#breaker.probeAt
  }

  get #countsUnanswered(): boolean {
    return this.#options.maxUnanswered !== Number.POSITIVE_INFINITY
  }

  /**
   * Calls the store. Returns the error of the breaker without a call while that is open.
   *
   * @param acknowledged - whether a synchronous result is a success of the store. If it is only sent, the store may hang.
   */
  call<T>(
    operation: () => T | PromiseLike<T>,
    afterwards?: Afterwards<T>,
    acknowledged = true,
  ): StoreCallResult<T> | Promise<StoreCallResult<T>> {
    return this.#run(this.#breaker.begin(), this.#deadlines, operation, afterwards, acknowledged)
  }

  /** Calls the store, as a probe if the breaker is open and one is due. */
  callOrProbe<T>(operation: () => PromiseLike<T>): StoreCallResult<T> | Promise<StoreCallResult<T>> {
    const turn = this.#breaker.begin() ?? this.#breaker.beginProbe()
    return this.#run(turn, this.#probeDeadlines, async () => operation(), undefined, true)
  }

  #run<T>(
    turn: Turn | undefined,
    deadlines: OperationDeadlines,
    operation: () => T | PromiseLike<T>,
    afterwards: Afterwards<T> | undefined,
    acknowledged: boolean,
  ): StoreCallResult<T> | Promise<StoreCallResult<T>> {
    if (turn === undefined) return { ok: false, error: this.#breaker.error }
    let result: T | PromiseLike<T>
    try {
      if (this.#countsUnanswered) this.#checkUnanswered()
      result = operation()
    } catch (error) {
      const isInvalid = error instanceof TypeError || error instanceof RangeError
      if (isInvalid && this.#options.rethrowsInvalid) throw error
      return this.#failed(turn, error)
    }
    if (isPromise(result)) return this.#wait(turn, deadlines, result, afterwards)
    if (acknowledged) this.#breaker.succeeded(turn)
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
          deadlines.cancel(operation)
          const slow =
            deadlines !== this.#deadlines &&
            clock.monotonic() > operation.item.dueAt - probeTimeoutMs + timeoutMs
          if (!slow) this.#breaker.succeeded(turn)
          else if (!this.usable) this.#breaker.failed(turn, this.#breaker.error)
          resolve(outcome)
        },
        error => {
          if (this.#countsUnanswered) this.#unanswered.delete(operation)
          if (!expired) {
            deadlines.cancel(operation)
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
    const message = `The ${name} timed out after ${ms} ms${option}.`
    return Object.assign(new Error(message), { name: 'TimeoutError' })
  }

  #checkUnanswered(): void {
    const { name, clock, maxUnanswered } = this.#options
    const from = clock.monotonic() - unansweredMs
    for (const call of this.#unanswered) if (call.item.dueAt <= from) this.#unanswered.delete(call)
    if (this.#unanswered.size >= maxUnanswered)
      throw new Error(
        `The ${name} has ${maxUnanswered} pending operations, expected fewer: it does not respond.`,
      )
  }

  #failed(turn: Turn, error: unknown): { readonly ok: false; readonly error: unknown } {
    const { usable } = this
    this.#breaker.failed(turn, error)
    if (this.#options.failsFast && usable && !this.usable) this.#deadlines.expireAll()
    return { ok: false, error }
  }
}

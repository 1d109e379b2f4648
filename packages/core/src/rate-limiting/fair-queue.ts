import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { atOnce, ReleaseLog, type Waiter, type WaitingLine, WaitingLines } from './waiting-lines.ts'

/** A refusal for lack of capacity. */
export interface QueueRefusal {
  /**
   * The known wait in ms; `Infinity` if it never ends. 0 if it is unknown, as for leases: such a request retries every
   * 250 ms, and when one of `keys` is released.
   */
  readonly waitMs: number
  /** The counts that are full. */
  readonly keys: readonly string[]
}

export interface FairQueueOptions<Result> {
  /** Maximum wait of a request, in ms. */
  readonly maxMs: number
  /** Maximum waiting requests per principal. */
  readonly maxQueued: number
  /** Maximum waiting requests of all principals. Default 1,000. */
  readonly maxTotal?: number
  /** Returns the refusal, or `undefined` if the result is none. */
  readonly refusedBy: (result: Result) => QueueRefusal | undefined
  /** Releases capacity that was granted after the client disconnected. */
  readonly release: (result: Result) => void
  readonly clock: Clock
}

/** Interval between tries if the wait is unknown. */
const pollMs = 250
/** Tries happen at multiples of this, so that requests for the same capacity try together and take turns. */
const gridMs = 5
/** Maximum concurrent store calls of waiting requests. */
const maxTrying = 16
/** Maximum tries before yielding to the event loop: a synchronous store takes time too. */
const maxTries = 100

/** A request before it has a waiter. */
type QueuedRequest<Result> = Pick<Waiter<Result>, 'arrival' | 'deadline' | 'attempt'> & {
  readonly principal: string
  readonly signal: AbortSignal
}

/**
 * A queue for requests that wait for capacity instead of being refused. Each principal has its own line, in which only the
 * first request retries. Lines take turns, so a principal that sends more delays only its own requests.
 *
 * ```
 * wait       if the principal has no line: attempt; accepted -> return the result
 *            if the queue is full, or the known wait is longer than maxMs -> return the refusal
 *            join the principal's line; due after the known wait, or after 250 ms; serve
 * serve      for each line in turn:
 *              if its first request is due, and fewer than 16 try at once: attempt
 *                accepted -> resolve; the line moves to the end
 *                refused  -> due again as above, or resolve with the refusal if that is too late
 *                thrown   -> reject
 *              resolve requests that have waited for maxMs with the last refusal
 *            sleep until the next line is due
 * released   the first requests that wait for these counts are due now; serve
 * abort      leave the line; reject; serve
 * ```
 */
export class FairQueue<Result> {
  readonly #options: FairQueueOptions<Result>
  readonly #clock: Clock
  readonly #lines = new WaitingLines<Result>()
  readonly #releases = new ReleaseLog()
  readonly #timer: WakeTimer
  #arrivals = 0
  #size = 0
  #trying = 0
  #tries = 0
  #allTries = 0
  #serving = false
  #again = false
  /** Whether a line was due while too many were trying. */
  #delayed = false

  constructor(options: FairQueueOptions<Result>) {
    this.#options = options
    this.#clock = options.clock
    this.#timer = new WakeTimer({ clock: this.#clock, ring: () => this.#serve(), background: false })
  }

  /**
   * Calls `attempt` until its result is not a refusal. Calls it at once if no request of the principal waits, and is then
   * synchronous if `attempt` is. Later requests of a principal never overtake, even if they need other capacity.
   *
   * Returns a refusal if the wait exceeds `maxMs`, is known to, or the queue is full. A request that never had its turn gets
   * the last refusal of its line. Errors of `attempt` are thrown to its own request. Throws or rejects with `GatewayError`
   * `client_disconnected` when `signal` aborts. `attempt` must settle by itself.
   */
  wait(
    principal: string,
    signal: AbortSignal,
    attempt: () => Result | Promise<Result>,
  ): Result | Promise<Result> {
    if (signal.aborted) throw clientDisconnected(signal)
    const deadline = this.#clock.monotonic() + this.#options.maxMs
    const request = { principal, signal, attempt, arrival: this.#arrivals++, deadline }
    const line = this.#lines.get(principal)
    if (line !== undefined) return this.#isFull(line) ? line.refusal : this.#enqueue(request, line)
    const since = this.#releases.begin()
    let result: Result | Promise<Result>
    try {
      result = attempt()
      if (isPromise(result)) return this.#awaitFirst(request, result, since)
    } catch (error) {
      this.#releases.end()
      throw error
    }
    this.#releases.end()
    return this.#afterFirst(request, result, since)
  }

  /** Capacity of these counts was released in the store: requests that wait for it try at once. */
  released(keys: readonly string[]): void {
    this.#releases.add(keys)
    if (this.#lines.wake(keys)) this.#serve()
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#size
  }

  async #awaitFirst(
    request: QueuedRequest<Result>,
    pending: PromiseLike<Result>,
    since: number,
  ): Promise<Result> {
    let result: Result
    try {
      result = await pending
    } finally {
      this.#releases.end()
    }
    return this.#afterFirst(request, result, since)
  }

  #afterFirst(request: QueuedRequest<Result>, result: Result, since: number): Result | Promise<Result> {
    const refused = this.#options.refusedBy(result)
    if (refused === undefined) return result
    if (request.signal.aborted) throw clientDisconnected(request.signal)
    const line = this.#lines.get(request.principal)
    if (this.#isTooLate(refused, request.deadline) || this.#isFull(line)) return result
    const { keys } = refused
    const dueAt = this.#nextTry(refused, since, request.deadline)
    const opened = line ?? this.#lines.open(request.principal, result, this.#allTries)
    return this.#enqueue(request, opened, { result, keys, dueAt })
  }

  #isFull(line: WaitingLine<Result> | undefined): boolean {
    const { maxQueued, maxTotal = 1_000 } = this.#options
    return (line?.length ?? 0) >= maxQueued || this.#size >= maxTotal
  }

  #isTooLate({ waitMs }: QueueRefusal, deadline: number): boolean {
    const left = deadline - this.#clock.monotonic()
    return !(left > 0 && waitMs <= left)
  }

  #nextTry({ waitMs, keys }: QueueRefusal, since: number, deadline: number): number {
    if (this.#releases.missed(keys, since)) return atOnce
    const wait = waitMs > 0 ? Math.max(waitMs, gridMs) : pollMs
    return Math.min(Math.ceil((this.#clock.monotonic() + wait) / gridMs) * gridMs, deadline)
  }

  /** Adds a request to its line until it has a result. */
  #enqueue(
    { signal, ...request }: QueuedRequest<Result>,
    line: WaitingLine<Result>,
    refused?: { readonly result: Result; readonly keys: readonly string[]; readonly dueAt: number },
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#end(line, waiter)
        reject(clientDisconnected(signal))
        this.#serve()
      }
      const waiter: Waiter<Result> = {
        ...request,
        dueAt: refused?.dueAt ?? atOnce,
        keys: refused?.keys ?? [],
        refusal: refused?.result,
        woken: undefined,
        ended: false,
        removeListener: () => signal.removeEventListener('abort', leave),
        resolve,
        reject,
      }
      signal.addEventListener('abort', leave, { once: true })
      line.add(waiter)
      this.#size++
      if (waiter.dueAt === atOnce && line.first === waiter) this.#serve()
      else this.#timer.wakeAt(line.nextAt(true))
    })
  }

  /** Serves each line that is due. A line whose request is admitted moves to the end, where this loop reaches it again. */
  #serve(): void {
    this.#again = true
    if (this.#serving) return
    this.#serving = true
    this.#tries = 0
    while (this.#again) {
      this.#again = false
      const now = this.#clock.monotonic()
      // Otherwise the last lines would never try if the store is slow and many tries fail.
      const lines = this.#delayed ? this.#lines.byLastTry() : this.#lines
      this.#delayed = false
      for (const line of lines) this.#serveLine(line, now)
    }
    this.#serving = false
    this.#timer.wakeAt(this.#lines.nextAt(this.#trying < maxTrying))
  }

  #serveLine(line: WaitingLine<Result>, now: number): void {
    const { first, trying } = line
    const due = first !== undefined && trying === undefined && first.dueAt <= now
    if (due && this.#trying < maxTrying && this.#tries < maxTries) this.#try(line, first)
    else if (due) this.#delayed = true
    for (const waiter of line.expired(now)) {
      this.#end(line, waiter)
      waiter.resolve(waiter.refusal ?? line.refusal)
    }
  }

  #try(line: WaitingLine<Result>, waiter: Waiter<Result>): void {
    this.#tries++
    line.lastTry = ++this.#allTries
    const since = this.#releases.begin()
    const woken = waiter.woken?.key
    waiter.woken = undefined
    line.trying = waiter
    let result: Result | Promise<Result>
    try {
      result = waiter.attempt()
    } catch (error) {
      this.#releases.end()
      this.#fail(line, waiter, error)
      return
    }
    if (!isPromise(result)) {
      this.#releases.end()
      this.#complete(line, waiter, result, since, woken)
      return
    }
    this.#trying++
    const answered = (hear: () => void) => {
      this.#trying--
      this.#releases.end()
      hear()
      this.#serve()
    }
    result.then(
      came => answered(() => this.#complete(line, waiter, came, since, woken)),
      error => answered(() => this.#fail(line, waiter, error)),
    )
  }

  #complete(
    line: WaitingLine<Result>,
    waiter: Waiter<Result>,
    result: Result,
    since: number,
    woken: string | undefined,
  ): void {
    const { refusedBy, release: giveBack } = this.#options
    try {
      const refused = refusedBy(result)
      if (waiter.ended) {
        if (refused === undefined) giveBack(result)
        return
      }
      if (refused !== undefined) {
        this.#refuse(line, waiter, result, refused, since, woken)
        return
      }
    } catch (error) {
      this.#fail(line, waiter, error)
      return
    }
    this.#end(line, waiter)
    if (line.length > 0) this.#lines.moveToEnd(line)
    waiter.resolve(result)
  }

  #refuse(
    line: WaitingLine<Result>,
    waiter: Waiter<Result>,
    result: Result,
    refused: QueueRefusal,
    since: number,
    woken: string | undefined,
  ): void {
    line.trying = undefined
    line.refusal = result
    waiter.refusal = result
    // The released capacity is used up: no other request needs to try for it.
    if (woken !== undefined && refused.keys.includes(woken)) this.#lines.unwake(woken)
    if (this.#isTooLate(refused, waiter.deadline)) {
      this.#end(line, waiter)
      waiter.resolve(result)
      return
    }
    waiter.keys = refused.keys
    waiter.dueAt = this.#nextTry(refused, since, waiter.deadline)
  }

  #fail(line: WaitingLine<Result>, waiter: Waiter<Result>, error: unknown): void {
    if (waiter.ended) return
    this.#end(line, waiter)
    waiter.reject(error)
  }

  #end(line: WaitingLine<Result>, waiter: Waiter<Result>): void {
    waiter.ended = true
    waiter.removeListener()
    line.remove(waiter)
    this.#size--
    if (line.length === 0) this.#lines.close(line)
    if (this.#size === 0) this.#timer.clear()
  }
}

function clientDisconnected(signal: AbortSignal): GatewayError {
  return new GatewayError('client_disconnected', { cause: signal.reason })
}

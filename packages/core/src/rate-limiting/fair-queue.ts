import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { atOnce, ReleaseLog, type Waiter, type WaitingLine, WaitingLines } from './waiting-lines.ts'

/** What a refusal says of the wait for room. */
export interface Refused {
  /**
   * The wait that is known, in milliseconds; `Infinity` where it never ends. 0 where it is not known, as where only
   * leases are missing: such a request tries again every 250 ms, and when one of `keys` is released.
   */
  readonly waitMs: number
  /** The counts that have no room. */
  readonly keys: readonly string[]
}

export interface FairQueueOptions<Result> {
  /** Longest wait of a request, in milliseconds. */
  readonly maxMs: number
  /** How many requests of one principal may wait. */
  readonly maxQueued: number
  /** How many requests of all principals together may wait. Default 1,000. */
  readonly maxTotal?: number
  /** `undefined` where the result is no refusal. */
  readonly refusedBy: (result: Result) => Refused | undefined
  /** Told of room that came for a request whose client has left. */
  readonly giveBack: (result: Result) => void
  readonly clock: Clock
}

/** Between two tries where the wait is not known. */
const pollMs = 250
/** Tries fall on multiples of this: those who wait for the same room come together, and have it in turns. */
const gridMs = 5
/** How many of those who wait may ask the store at once. */
const maxTrying = 16
/** How many try before the process turns to something else: a store that answers at once takes its time too. */
const maxTries = 100

/** A request that has come. */
type Arrived<Result> = Pick<Waiter<Result>, 'arrival' | 'deadline' | 'attempt'> & {
  readonly principal: string
  readonly signal: AbortSignal
}

/**
 * Requests that wait for room instead of being refused. Each principal has a line of its own, of which only the first
 * tries again, and lines have their turns one after another: who sends more waits longer, and nobody else does.
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
 *              resolve with the last refusal whoever has waited for maxMs
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
  /** Whether somebody's time had come while too many were trying. */
  #behind = false

  constructor(options: FairQueueOptions<Result>) {
    this.#options = options
    this.#clock = options.clock
    this.#timer = new WakeTimer({ clock: this.#clock, ring: () => this.#serve(), background: false })
  }

  /**
   * Calls `attempt` until it gives something that is no refusal. It is called at once where nobody of the principal
   * waits, and then gives its result without a promise where `attempt` does. Who comes later does not overtake, also
   * where it asks for other room.
   *
   * The result is a refusal where the wait is over, or known to be longer than that, or too many wait. A request that
   * never had its turn is given the last refusal of its line. What `attempt` throws is thrown to its own request.
   * Throws or rejects with `GatewayError` `client_disconnected` when `signal` aborts. `attempt` has to come to an end by
   * itself.
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
    if (line !== undefined) return this.#isFull(line) ? line.refusal : this.#stand(request, line)
    const since = this.#releases.begin()
    let result: Result | Promise<Result>
    try {
      result = attempt()
      if (isPromise(result)) return this.#firstAnswer(request, result, since)
    } catch (error) {
      this.#releases.end()
      throw error
    }
    this.#releases.end()
    return this.#afterFirst(request, result, since)
  }

  /** Room of these counts was given back, and the store knows it: who waits for it tries at once. */
  released(keys: readonly string[]): void {
    this.#releases.add(keys)
    if (this.#lines.wake(keys)) this.#serve()
  }

  /** How many wait. */
  get size(): number {
    return this.#size
  }

  async #firstAnswer(request: Arrived<Result>, answer: PromiseLike<Result>, since: number): Promise<Result> {
    let result: Result
    try {
      result = await answer
    } finally {
      this.#releases.end()
    }
    return this.#afterFirst(request, result, since)
  }

  #afterFirst(request: Arrived<Result>, result: Result, since: number): Result | Promise<Result> {
    const refused = this.#options.refusedBy(result)
    if (refused === undefined) return result
    if (request.signal.aborted) throw clientDisconnected(request.signal)
    const line = this.#lines.get(request.principal)
    if (this.#isInVain(refused, request.deadline) || this.#isFull(line)) return result
    const { keys } = refused
    const dueAt = this.#nextTry(refused, since, request.deadline)
    const opened = line ?? this.#lines.open(request.principal, result, this.#allTries)
    return this.#stand(request, opened, { result, keys, dueAt })
  }

  #isFull(line: WaitingLine<Result> | undefined): boolean {
    const { maxQueued, maxTotal = 1_000 } = this.#options
    return (line?.length ?? 0) >= maxQueued || this.#size >= maxTotal
  }

  #isInVain({ waitMs }: Refused, deadline: number): boolean {
    const left = deadline - this.#clock.monotonic()
    return !(left > 0 && waitMs <= left)
  }

  #nextTry({ waitMs, keys }: Refused, since: number, deadline: number): number {
    if (this.#releases.missed(keys, since)) return atOnce
    const wait = waitMs > 0 ? Math.max(waitMs, gridMs) : pollMs
    return Math.min(Math.ceil((this.#clock.monotonic() + wait) / gridMs) * gridMs, deadline)
  }

  /** Lets a request stand in its line until it has its answer. */
  #stand(
    { signal, ...request }: Arrived<Result>,
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
        deafen: () => signal.removeEventListener('abort', leave),
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

  /** Gives each line that is due its turn. Who has room goes to the end, where its next one is come to again. */
  #serve(): void {
    this.#again = true
    if (this.#serving) return
    this.#serving = true
    this.#tries = 0
    while (this.#again) {
      this.#again = false
      const now = this.#clock.monotonic()
      // Else those at the end would never try, where a store is slow and many try in vain.
      const lines = this.#behind ? this.#lines.byLastTry() : this.#lines
      this.#behind = false
      for (const line of lines) this.#serveLine(line, now)
    }
    this.#serving = false
    this.#timer.wakeAt(this.#lines.nextAt(this.#trying < maxTrying))
  }

  #serveLine(line: WaitingLine<Result>, now: number): void {
    const { first, trying } = line
    const due = first !== undefined && trying === undefined && first.dueAt <= now
    if (due && this.#trying < maxTrying && this.#tries < maxTries) this.#try(line, first)
    else if (due) this.#behind = true
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
      this.#answer(line, waiter, result, since, woken)
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
      came => answered(() => this.#answer(line, waiter, came, since, woken)),
      error => answered(() => this.#fail(line, waiter, error)),
    )
  }

  #answer(
    line: WaitingLine<Result>,
    waiter: Waiter<Result>,
    result: Result,
    since: number,
    woken: string | undefined,
  ): void {
    const { refusedBy, giveBack } = this.#options
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
    refused: Refused,
    since: number,
    woken: string | undefined,
  ): void {
    line.trying = undefined
    line.refusal = result
    waiter.refusal = result
    // Nothing is left of what was released: nobody else needs to ask for it.
    if (woken !== undefined && refused.keys.includes(woken)) this.#lines.calm(woken)
    if (this.#isInVain(refused, waiter.deadline)) {
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
    waiter.deafen()
    line.remove(waiter)
    this.#size--
    if (line.length === 0) this.#lines.close(line)
    if (this.#size === 0) this.#timer.clear()
  }
}

function clientDisconnected(signal: AbortSignal): GatewayError {
  return new GatewayError('client_disconnected', { cause: signal.reason })
}
